import { Column, Entity, Index, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import {
  CreatedAtColumn,
  FinishedAtColumn,
  IdentityColumn,
  WorkspaceColumn,
} from '../../platform/database/common-columns.js';
import { JoinInWorkspace } from '../../platform/database/join-in-workspace.js';
import type { RowSet } from '../shared/row-set.js';
import { rowSetColumn } from '../shared/row-set.transformer.js';
import type { ExecutionOwner } from '../shared/sheet-owner.js';
import { Sheet } from '../shared/sheet.entity.js';

export const EXECUTION_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** A request to compute cells, from the moment they are queued. The API calls it an operation. */
@Entity('executions')
@Index('executions_active_idx', { synchronize: false })
@Index('executions_listed_idx', { synchronize: false })
export class Execution {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @ManyToOne(() => Sheet)
  @JoinInWorkspace('sheet_id', 'executions_sheet_id_fkey')
  sheet?: Relation<Sheet>;

  @Column({ type: 'text', default: 'sheet' })
  owner: ExecutionOwner;

  /** False where no table owns the sheet: such operations are not in the workspace's list. */
  @Column({ name: 'in_table', type: 'boolean', default: true })
  inTable: boolean;

  @Column({ type: 'text' })
  status: ExecutionStatus;

  /** The name of the key that started it; null when the server did. */
  @Column({ name: 'started_by', type: 'text', nullable: true })
  startedBy: string | null;

  /** True when results are computed again although their inputs are the same. */
  @Column({ name: 'is_forced', type: 'boolean', default: false })
  isForced: boolean;

  /** True when somebody has asked for new results: earlier external results are not reused. */
  @Column({ name: 'asks_again', type: 'boolean', default: false })
  asksAgain: boolean;

  /** Limit of its cost in US dollars; null for none. */
  @Column({ name: 'max_cost', type: 'double precision', nullable: true })
  maxCost: number | null;

  /** Cost of its cells so far, in US dollars. Interrupted calls are added when it ends or is cancelled. */
  @Column({ type: 'double precision', default: 0 })
  cost: number;

  /** The highest cost of a cell in US dollars, by column key. Stored only with a `maxCost`. */
  @Column({ name: 'dearest_cells', type: 'jsonb', default: {} })
  dearestCells: Record<string, number>;

  /** Why it ended early. */
  @Column({ type: 'text', nullable: true })
  message: string | null;

  /** The sheet version of its latest results; null before the first result. */
  @Column({ type: 'integer', nullable: true })
  version: number | null;

  @Column({ name: 'cell_count', type: 'integer' })
  cellCount: number;

  @Column({ name: 'completed_count', type: 'integer', default: 0 })
  completedCount: number;

  @Column({ name: 'failed_count', type: 'integer', default: 0 })
  failedCount: number;

  /** Completed cells that reuse the result of an earlier cell with the same inputs. */
  @Column({ name: 'reused_count', type: 'integer', default: 0 })
  reusedCount: number;

  @CreatedAtColumn()
  createdAt: Date;

  @FinishedAtColumn()
  finishedAt: Date | null;
}

/**
 * Cells of one column in one chunk that are waiting or being computed. A claim takes as many of them as can be computed
 * at once and leaves the others as a separate task. Rows of the sheet leave the task when their results are stored. The
 * worker with its claim continues with the rest until the lease ends.
 */
@Entity('computation_tasks')
@Index('computation_tasks_execution_idx', ['workspaceId', 'executionId'])
@Index('computation_tasks_turn_idx', ['isExternal', 'workspaceId', 'chunkNo', 'rank', 'id'])
@Index('computation_tasks_chunk_idx', ['workspaceId', 'sheetId', 'chunkNo', 'rank'])
export class ComputationTask {
  @WorkspaceColumn()
  workspaceId: number;

  @IdentityColumn('bigint')
  id: string;

  @Column({ name: 'sheet_id', type: 'uuid' })
  sheetId: string;

  @Column({ name: 'chunk_no', type: 'integer' })
  chunkNo: number;

  /** Depth in the dependency graph: a row waits until all its cells of lower rank are computed. */
  @Column({ type: 'smallint' })
  rank: number;

  @Column({ name: 'column_key', type: 'bigint' })
  columnKey: string;

  @Column({ name: 'execution_id', type: 'uuid' })
  executionId: string;

  /** Whether the results are external: such cells wait for others, and have workers of their own. */
  @Column({ name: 'is_external', type: 'boolean', default: false })
  isExternal: boolean;

  @Column({ type: 'int4multirange', transformer: rowSetColumn })
  rows: RowSet;

  /** Changes with every claim, so that results of a lost claim are recognised and dropped. */
  @Column({ type: 'uuid', nullable: true })
  claim: string | null;

  @Column({ name: 'lease_until', type: 'timestamptz', nullable: true })
  leaseUntil: Date | null;

  /** Number of workers that claimed its rows without finishing them. */
  @Column({ type: 'smallint', default: 0 })
  attempts: number;
}

/**
 * Reserved cost of one cell's calls in US dollars, where the execution has a `maxCost`. It is deleted when the result
 * of the cell is stored. It stays if the claim has ended without a result: the call may have been paid for.
 */
@Entity('call_reservations')
export class CallReservation {
  @WorkspaceColumn()
  workspaceId: number;

  @PrimaryColumn({ name: 'execution_id', type: 'uuid' })
  executionId: string;

  @ManyToOne(() => Execution)
  @JoinInWorkspace('execution_id', 'call_reservations_execution_id_fkey')
  execution?: Relation<Execution>;

  @PrimaryColumn({ type: 'uuid' })
  claim: string;

  @PrimaryColumn({ name: 'column_key', type: 'bigint' })
  columnKey: string;

  @PrimaryColumn({ name: 'row_index', type: 'integer' })
  rowIndex: number;

  /** 0 when the price is unknown. */
  @Column({ type: 'double precision' })
  amount: number;
}
