import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { JsonObject } from '../../platform/json.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import { recordVersion } from '../versions/record-version.js';
import { Execution } from './execution.entity.js';
import { chargeBrokenCalls, readReserved } from './reservations.queries.js';
import { readPastCosts } from './run-plan.js';
import { lockTasks, type PendingRows, readPending } from './tasks.queries.js';
import { tellOfEnd } from './tell-of-progress.js';

const SPENT = 'Another cell would exceed max_cost. Recalculate the other cells to go on.';

export interface CancelledCells {
  /** Cells that go back to the state they had. */
  notStarted: number;
  /** Cells that were being computed; they are stale now. */
  running: number;
  /** US dollars that the calls under way have probably cost. They count as spent. */
  interruptedCost: number;
  /** US dollars that the execution has cost; null when it had ended before. */
  cost: number | null;
}

const NO_COSTS = { interruptedCost: 0, cost: null };

export const NOTHING_CANCELLED: CancelledCells = { notStarted: 0, running: 0, ...NO_COSTS };

const DROP_TASKS = 'DELETE FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2';

const CANCEL = `
  UPDATE executions SET status = 'cancelled', finished_at = now(), cell_count = completed_count + failed_count, message = $3
   WHERE workspace_id = $1 AND id = $2`;

/**
 * Takes the unfinished cells of an execution back, under the lock of the sheet. Nothing happens when it has ended. Workers
 * notice within a second and drop what they are doing for it.
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
  // What is spent has no call under way: a claim that has just been taken begins none.
  const running = spent ? [] : pending.filter((task) => task.running);
  const execution = await tx.findOneByOrFail(Execution, { workspaceId, id: executionId });
  const delta = { type: 'execution', operation_id: executionId, cancelled: true };
  await invalidate(tx, types, sheet, { running, delta: execution.owner === 'scorecard' ? null : delta });
  // From now on nothing is reserved any more.
  await tx.query(CANCEL, [workspaceId, executionId, spent ? SPENT : null]);
  const costs = await chargeRunning(tx, execution, running);
  await tx.query(`${DROP_TASKS} AND execution_id = $3`, [workspaceId, sheet.id, executionId]);
  tellOfEnd(tx, sheet, executionId);
  const count = (tasks: typeof pending) => tasks.reduce((sum, task) => sum + task.rows.count, 0);
  return { notStarted: count(pending) - count(running), running: count(running), ...costs };
}

/** Counts the calls under way as spent: what was reserved for them, or else what such calls cost as a rule. */
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

/** What these cells would have cost if they were like those of their columns that were computed before. */
async function usualCost(tx: EntityManager, workspaceId: number, running: PendingRows[]): Promise<number> {
  const keys = running.map(({ columnKey }) => columnKey);
  const past = keys.length === 0 ? [] : await readPastCosts(tx, workspaceId, keys);
  const price = (columnKey: string) => past.find(({ key }) => key === columnKey)?.price ?? 0;
  return running.reduce((sum, { columnKey, rows }) => sum + price(columnKey) * rows.count, 0);
}

/**
 * What was being computed is uncertain, so it counts as stale, and so does what reads it. Cells that were stale before
 * change nothing. No version is made without a delta.
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
  RETURNING id`;

/**
 * Ends what is being computed in a locked sheet: results that still come in find no task and are dropped. Tasks come first,
 * as with workers, which take them without locking the sheet.
 */
export async function cancelAll(tx: EntityManager, sheet: Sheet): Promise<void> {
  const place = [sheet.workspaceId, sheet.id];
  await lockTasks(tx, sheet);
  await tx.query(DROP_TASKS, place);
  const [cancelled] = await tx.query<[{ id: string }[], number]>(CANCEL_EXECUTIONS, place);
  await chargeBrokenCalls(
    tx,
    sheet.workspaceId,
    cancelled.map(({ id }) => id),
  );
  for (const { id } of cancelled) tellOfEnd(tx, sheet, id);
}
