import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { recordVersion } from '../shared/record-version.js';
import { Execution } from './execution.entity.js';
import { chargeBrokenCalls, readReserved } from './reservations.queries.js';
import { readPastCosts } from './run-plan.js';
import { lockTasks, type PendingRows, readPending } from './tasks.queries.js';
import { notifyOfEnd } from './notify-of-progress.js';

const SPENT = 'Another cell would exceed max_cost. Recalculate the other cells to go on.';

export interface CancelledCells {
  /** Cells that return to their previous state. */
  notStarted: number;
  /** Cells that were being computed; they are stale now. */
  running: number;
  /** Estimated cost of the interrupted calls in US dollars. It counts as spent. */
  interruptedCost: number;
  /** Cost of the execution in US dollars; null when it had ended before. */
  cost: number | null;
}

const NO_COSTS = { interruptedCost: 0, cost: null };

export const NOTHING_CANCELLED: CancelledCells = { notStarted: 0, running: 0, ...NO_COSTS };

const DROP_TASKS = 'DELETE FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2';

const CANCEL = `
  UPDATE executions SET status = 'cancelled', finished_at = now(), cell_count = completed_count + failed_count, message = $3
   WHERE workspace_id = $1 AND id = $2`;

/**
 * Cancels the unfinished cells of an execution, under the lock of the sheet. Nothing happens when it has ended. Workers
 * notice within a second and abort its cells.
 */
export async function cancelTasks(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { executionId, spent = false }: { executionId: string; spent?: boolean },
): Promise<CancelledCells> {
  const { workspaceId } = sheet;
  await lockTasks(tx, sheet);
  const pending = await readPending(tx, sheet, executionId);
  if (pending.length === 0) return NOTHING_CANCELLED;
  // A spent budget means that no call is running: a claim that was just taken starts none.
  const running = spent ? [] : pending.filter((task) => task.running);
  const execution = await tx.findOneByOrFail(Execution, { workspaceId, id: executionId });
  const delta = { type: 'execution', operation_id: executionId, cancelled: true };
  await invalidate(tx, types, sheet, { running, delta: execution.owner === 'scorecard' ? null : delta });
  // No calls can be reserved after this.
  await tx.query(CANCEL, [workspaceId, executionId, spent ? SPENT : null]);
  const costs = await chargeRunning(tx, execution, running);
  await tx.query(`${DROP_TASKS} AND execution_id = $3`, [workspaceId, sheet.id, executionId]);
  notifyOfEnd(tx, sheet, execution);
  const count = (tasks: typeof pending) => tasks.reduce((sum, task) => sum + task.rows.count, 0);
  return { notStarted: count(pending) - count(running), running: count(running), ...costs };
}

/** Counts running calls as spent: their reservations, or else the average cost of such calls. */
async function chargeRunning(
  tx: EntityManager,
  { workspaceId, id, maxCost, cost }: Execution,
  running: PendingRows[],
): Promise<Pick<CancelledCells, 'interruptedCost' | 'cost'>> {
  if (maxCost !== null) {
    const { underWay, brokenOff } = await readReserved(tx, { workspaceId, executionId: id });
    await chargeBrokenCalls(tx, workspaceId, [id]);
    return { interruptedCost: underWay, cost: cost + underWay + brokenOff };
  }
  const interruptedCost = await usualCost(tx, workspaceId, running);
  await tx.increment(Execution, { workspaceId, id }, 'cost', interruptedCost);
  return { interruptedCost, cost: cost + interruptedCost };
}

/** Estimates the cost of these cells from the average of earlier cells of their columns. */
async function usualCost(tx: EntityManager, workspaceId: number, running: PendingRows[]): Promise<number> {
  const keys = running.map(({ columnKey }) => columnKey);
  const past = keys.length === 0 ? [] : await readPastCosts(tx, workspaceId, keys);
  const price = (columnKey: string) => past.find(({ key }) => key === columnKey)?.price ?? 0;
  return running.reduce((sum, { columnKey, rows }) => sum + price(columnKey) * rows.count, 0);
}

/**
 * Marks cells as stale that were being computed, because their results are uncertain, and their dependents. Cells that
 * were stale before do not change. Without a delta no version is recorded.
 */
async function invalidate(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { running, delta }: { running: PendingRows[]; delta: JsonObject | null },
): Promise<void> {
  if (running.length === 0) return;
  const columns = await SheetColumns.read(tx, types, sheet);
  const keys = columns.computed.map((column) => column.key);
  const end = RowSet.union(running.map((task) => task.rows)).end;
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: end });
  let added = 0;
  for (const { columnKey, rows } of running) {
    const column = columns.byKey(columnKey);
    const outdated = column ? [column, ...columns.dependents([column])] : [];
    for (const { key } of outdated) added += states.markStale(key, rows);
  }
  if (added === 0) return;
  await states.save(tx, delta ? await recordVersion(tx, sheet, { deltas: [delta], createdBy: null }) : sheet.version);
}

const CANCEL_EXECUTIONS = `
  UPDATE executions SET status = 'cancelled', finished_at = now(), cell_count = completed_count + failed_count
   WHERE workspace_id = $1 AND sheet_id = $2 AND finished_at IS NULL
  RETURNING id, owner`;

/**
 * Cancels all running work in a locked sheet: later results find no task and are dropped. It locks tasks first, like
 * workers, which claim them without locking the sheet.
 */
export async function cancelAll(tx: EntityManager, sheet: Sheet): Promise<void> {
  const place = [sheet.workspaceId, sheet.id];
  await lockTasks(tx, sheet);
  await tx.query(DROP_TASKS, place);
  const [cancelled] = await tx.query<[Pick<Execution, 'id' | 'owner'>[], number]>(CANCEL_EXECUTIONS, place);
  await chargeBrokenCalls(
    tx,
    sheet.workspaceId,
    cancelled.map(({ id }) => id),
  );
  for (const execution of cancelled) notifyOfEnd(tx, sheet, execution);
}
