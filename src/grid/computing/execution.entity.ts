import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { RowSet } from '../rows/row-set.js';
import { rowSetColumn } from '../rows/row-set.transformer.js';
import type { ExecutionOwner } from '../sheet-owner.js';
import { Sheet } from '../sheet.entity.js';

export const EXECUTION_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** A request to compute cells, from the moment they are queued. The API calls it an operation. */
@Entity('executions')
@Index('executions_active_idx', { synchronize: false })
@Index('executions_listed_idx', { synchronize: false })
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

  @Column({ type: 'text', default: 'sheet' })
  owner: ExecutionOwner;

  /** False where no table owns the sheet: the list of the operations of a workspace leaves those out. */
  @Column({ name: 'in_table', type: 'boolean', default: true })
  inTable: boolean;

  @Column({ type: 'text' })
  status: ExecutionStatus;

  /** The name of the key that asked for it; null when the server began it by itself. */
  @Column({ name: 'started_by', type: 'text', nullable: true })
  startedBy: string | null;

  /** True when results are computed anew although their inputs are the same. */
  @Column({ name: 'is_forced', type: 'boolean', default: false })
  isForced: boolean;

  /** True when somebody has asked: results from outside are those of its own cells, and of none that were computed before. */
  @Column({ name: 'asks_again', type: 'boolean', default: false })
  asksAgain: boolean;

  /** What it may spend in US dollars; null for any amount. */
  @Column({ name: 'max_cost', type: 'double precision', nullable: true })
  maxCost: number | null;

  /** US dollars that its cells have cost so far. Calls that were broken off are added when it ends or is cancelled. */
  @Column({ type: 'double precision', default: 0 })
  cost: number;

  /** By column key: the most that one of its cells has cost, in US dollars. Kept only where there is a `maxCost`. */
  @Column({ name: 'dearest_cells', type: 'jsonb', default: {} })
  dearestCells: Record<string, number>;

  /** Why it ended early. */
  @Column({ type: 'text', nullable: true })
  message: string | null;

  /** The sheet version its results went into last; null before the first result. */
  @Column({ type: 'integer', nullable: true })
  version: number | null;

  @Column({ name: 'cell_count', type: 'integer' })
  cellCount: number;

  @Column({ name: 'completed_count', type: 'integer', default: 0 })
  completedCount: number;

  @Column({ name: 'failed_count', type: 'integer', default: 0 })
  failedCount: number;

  /** Completed cells that have the result of an earlier cell with the same inputs. */
  @Column({ name: 'reused_count', type: 'integer', default: 0 })
  reusedCount: number;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}

/**
 * Cells of one column in one chunk that wait to be computed, or are: a claim takes as many of them as can be computed at
 * once and leaves the others behind as a task of their own. The row is the work: rows of the sheet leave it when their
 * results are stored, and whoever holds its claim works on the rest until the lease ends.
 */
@Entity('computation_tasks')
@Index('computation_tasks_execution_idx', ['workspaceId', 'executionId'])
@Index('computation_tasks_turn_idx', ['isExternal', 'workspaceId', 'chunkNo', 'rank', 'id'])
@Index('computation_tasks_chunk_idx', ['workspaceId', 'sheetId', 'chunkNo', 'rank'])
export class ComputationTask {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'computation_tasks_pkey' })
  workspaceId: number;

  @PrimaryColumn({
    type: 'bigint',
    generated: 'identity',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'computation_tasks_pkey',
  })
  id: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @Column({ name: 'chunk_no', type: 'integer' })
  chunkNo: number;

  /** Depth in the dependency graph: a row waits until everything of lower rank is computed in it. */
  @Column({ type: 'smallint' })
  rank: number;

  @Column({ name: 'column_key', type: 'bigint' })
  columnKey: string;

  @Column({ name: 'execution_id', type: 'uuid' })
  executionId: string;

  /** Whether the results come from outside: such cells wait, and are worked on apart from those that are only computed. */
  @Column({ name: 'is_external', type: 'boolean', default: false })
  isExternal: boolean;

  @Column({ type: 'int4multirange', transformer: rowSetColumn })
  rows: RowSet;

  /** Changes with every claim, so that the results of a claim that was lost are recognised and dropped. */
  @Column({ type: 'uuid', nullable: true })
  claim: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** How often its rows were in the hands of a worker that did not finish them. */
  @Column({ type: 'smallint', default: 0 })
  attempts: number;
}

/**
 * US dollars that the calls for one cell may cost, reserved before they begin where the execution has a `maxCost`. The row goes when
 * the result of the cell is stored. One whose claim has ended without a result stays: its call may have been paid for.
 */
@Entity('call_reservations')
export class CallReservation {
  @PrimaryColumn({ name: 'workspace_id', type: 'integer', primaryKeyConstraintName: 'call_reservations_pkey' })
  workspaceId: number;

  @PrimaryColumn({ name: 'execution_id', type: 'uuid', primaryKeyConstraintName: 'call_reservations_pkey' })
  executionId: string;

  @ManyToOne(() => Execution)
  @JoinInWorkspace('execution_id', 'call_reservations_execution_id_fkey')
  execution?: Relation<Execution>;

  @PrimaryColumn({ type: 'uuid', primaryKeyConstraintName: 'call_reservations_pkey' })
  claim: string;

  @PrimaryColumn({ name: 'column_key', type: 'bigint', primaryKeyConstraintName: 'call_reservations_pkey' })
  columnKey: string;

  @PrimaryColumn({ name: 'row_index', type: 'integer', primaryKeyConstraintName: 'call_reservations_pkey' })
  rowIndex: number;

  /** 0 where nothing is known of the price. */
  @Column({ type: 'double precision' })
  amount: number;
}
