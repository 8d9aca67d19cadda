import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A reference of one version of a prompt to a snippet. The snippet is bound when the version is published, so renaming
 * it breaks nothing; which version of it is meant is found out when the prompt is read.
 */
@Entity('prompt_snippets')
@Index('prompt_snippets_use_idx', ['workspaceId', 'snippetId'])
export class PromptSnippet {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'prompt_snippets_pkey' })
  workspaceId: number;

  /** The prompt that refers. */
  @PrimaryColumn({ name: 'prompt_id', type: 'integer', primaryKeyConstraintName: 'prompt_snippets_pkey' })
  promptId: number;

  @PrimaryColumn({ name: 'version_number', type: 'integer', primaryKeyConstraintName: 'prompt_snippets_pkey' })
  versionNumber: number;

  /** What stands between the @@@ marks. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'prompt_snippets_pkey' })
  reference: string;

  @Column({ name: 'snippet_id', type: 'integer' })
  snippetId: number;

  /** Without version and label the latest version is meant. */
  @Column({ name: 'snippet_version', type: 'integer', nullable: true })
  snippetVersion: number | null;

  @Column({ name: 'snippet_label', type: 'text', nullable: true })
  snippetLabel: string | null;
}
