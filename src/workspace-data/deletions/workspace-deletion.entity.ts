import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { CreatedAtColumn, FinishedAtColumn } from '../../platform/database/common-columns.js';
import { WorkRow } from '../../platform/work/work-row.js';

export const DELETION_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
export type DeletionStatus = (typeof DELETION_STATUSES)[number];

/** Rows by the name of their table. */
export type RowCounts = Record<string, number>;

/** The work of deleting a workspace, or of counting its rows in a dry run. It has no foreign key, so it outlives the workspace. */
@Entity('workspace_deletions')
@Index('workspace_deletions_open_idx', { synchronize: false })
export class WorkspaceDeletion extends WorkRow {
  @Column({ name: 'workspace_id', type: 'integer' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** The name that the workspace had. */
  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'dry_run', type: 'boolean' })
  dryRun: boolean;

  @Column({ type: 'text', default: 'queued' })
  status: DeletionStatus;

  /** Rows that were deleted, or counted. */
  @Column({ type: 'jsonb', default: {} })
  counts: RowCounts;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @CreatedAtColumn()
  createdAt: Date;

  @FinishedAtColumn()
  finishedAt: Date | null;
}
