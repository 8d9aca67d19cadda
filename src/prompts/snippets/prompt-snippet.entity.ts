import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';

/**
 * A reference of one version of a prompt to a snippet. The snippet is bound when the version is published, so renaming
 * it breaks nothing. Its version is resolved when the prompt is read.
 */
@Entity('prompt_snippets')
@Index('prompt_snippets_use_idx', ['workspaceId', 'snippetId'])
export class PromptSnippet {
  @WorkspaceColumn()
  workspaceId: number;

  /** The prompt that refers. */
  @PrimaryColumn({ name: 'prompt_id', type: 'integer' })
  promptId: number;

  @PrimaryColumn({ name: 'version_number', type: 'integer' })
  versionNumber: number;

  /** The text between the @@@ marks. */
  @PrimaryColumn({ type: 'text' })
  reference: string;

  @Column({ name: 'snippet_id', type: 'integer' })
  snippetId: number;

  /** Version number; the latest version applies when there is neither a number nor a label. */
  @Column({ name: 'snippet_version', type: 'integer', nullable: true })
  snippetVersion: number | null;

  @Column({ name: 'snippet_label', type: 'text', nullable: true })
  snippetLabel: string | null;
}
