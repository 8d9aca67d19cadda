import { Column, PrimaryColumn } from 'typeorm';
import { CreatedAtColumn, CreatedByColumn, FinishedAtColumn, WorkspaceColumn } from '../database/common-columns.js';
import { WorkRow } from './work-row.js';

/** Columns of work that a client asked for, to be done or only tried. */
export abstract class RequestedWorkRow extends WorkRow {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'dry_run', type: 'boolean' })
  dryRun: boolean;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage: string | null;

  @CreatedByColumn()
  createdBy: number | null;

  @Column({ name: 'request_id', type: 'text' })
  requestId: string;

  @CreatedAtColumn()
  createdAt: Date;

  @FinishedAtColumn()
  finishedAt: Date | null;
}
