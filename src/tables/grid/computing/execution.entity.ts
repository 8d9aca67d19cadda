import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../../../platform/database/join-in-workspace.js';
import type { RowSet } from '../rows/row-set.js';
import { rowSetColumn } from '../rows/row-set.transformer.js';
import { Sheet } from '../sheet.entity.js';

export type ExecutionStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

/** A request to compute cells, from the moment they are queued. The API calls it an operation. */
@Entity('executions')
@Index('executions_active_idx', { synchronize: false })
export class Execution {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'executions_pkey' })
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'executions_pkey' })
  id: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'executions_sheet_id_fkey')
  sheet?: Relation<Sheet>;

  @Column({ type: 'text' })
  status: ExecutionStatus;

  /** True for the run that follows the creation of a column: rows without any text are left uncomputed. */
  @Column({ name: 'skips_blank_rows', type: 'boolean' })
  skipsBlankRows: boolean;

  /** The sheet version its results went into last; null before the first result. */
  @Column({ type: 'integer', nullable: true })
  version: number | null;

  @Column({ name: 'cell_count', type: 'integer' })
  cellCount: number;

  @Column({ name: 'completed_count', type: 'integer', default: 0 })
  completedCount: number;

  @Column({ name: 'failed_count', type: 'integer', default: 0 })
  failedCount: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}

/**
 * Cells of one column in one chunk that wait to be computed. The row is the work: it exists until the results are
 * stored, and whoever holds its claim works on it until the lease ends.
 */
@Entity('computation_tasks')
@Index('computation_tasks_execution_idx', ['workspaceId', 'executionId'])
export class ComputationTask {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'computation_tasks_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'sheet_id', type: 'uuid', primaryKeyConstraintName: 'computation_tasks_pkey' })
  sheetId: string;

  @PrimaryColumn({ name: 'chunk_no', type: 'integer', primaryKeyConstraintName: 'computation_tasks_pkey' })
  chunkNo: number;

  /** Depth in the dependency graph: a task waits for every task of lower rank in its chunk. */
  @PrimaryColumn({ type: 'smallint', primaryKeyConstraintName: 'computation_tasks_pkey' })
  rank: number;

  @PrimaryColumn({ name: 'column_key', type: 'bigint', primaryKeyConstraintName: 'computation_tasks_pkey' })
  columnKey: string;

  @PrimaryColumn({ name: 'execution_id', type: 'uuid', primaryKeyConstraintName: 'computation_tasks_pkey' })
  executionId: string;

  @Column({ type: 'int4multirange', transformer: rowSetColumn })
  rows: RowSet;

  /** Changes with every claim, so that the results of a claim that was lost are recognised and dropped. */
  @Column({ type: 'uuid', nullable: true })
  claim: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  @Column({ type: 'smallint', default: 0 })
  attempts: number;
}
