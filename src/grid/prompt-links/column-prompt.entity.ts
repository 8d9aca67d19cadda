import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { WorkspaceColumn } from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import { SheetColumn } from '../columns/column.entity.js';

/** A prompt of the registry that the config of a column refers to. */
@Entity('column_prompts')
@Index('column_prompts_prompt_idx', ['workspaceId', 'promptId'])
export class ColumnPrompt {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'column_id', type: 'uuid' })
  columnId: string;

  @PrimaryColumn({ type: 'smallint' })
  ordinal: number;

  @ManyToOne(() => SheetColumn)
  @JoinInWorkspace('column_id', 'column_prompts_column_id_fkey')
  column?: Relation<SheetColumn>;

  @Column({ name: 'prompt_id', type: 'integer' })
  promptId: number;

  /** The version in the config; without version and label, the latest version is used. */
  @Column({ name: 'version_number', type: 'integer', nullable: true })
  versionNumber: number | null;

  @Column({ type: 'text', nullable: true })
  label: string | null;
}
