import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { JsonObject } from '../../../platform/json.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import { recordVersion } from '../versions/record-version.js';
import { Execution } from './execution.entity.js';
import { lockTasks, type PendingRows, readPending } from './tasks.queries.js';
import { tellOfEnd } from './tell-of-progress.js';

const SPENT = 'It has spent max_cost. Recalculate the stale cells to go on.';

export interface CancelledCells {
  /** Cells that go back to the state they had. */
  notStarted: number;
  /** Cells that were being computed; they are stale now. */
  running: number;
}

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
  if (pending.length === 0) return { notStarted: 0, running: 0 };
  const running = pending.filter((task) => task.running);
  const { owner } = await tx.findOneByOrFail(Execution, { workspaceId, id: executionId });
  const delta = { type: 'execution', operation_id: executionId, cancelled: true, ...(spent && { spent }) };
  await invalidate(tx, types, sheet, { running, delta: owner === 'scorecard' ? null : delta });
  await tx.query('DELETE FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 AND execution_id = $3', [
    workspaceId,
    sheet.id,
    executionId,
  ]);
  await tx.query(
    `UPDATE executions SET status = 'cancelled', finished_at = now(), cell_count = completed_count + failed_count,
            message = $3
      WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, executionId, spent ? SPENT : null],
  );
  tellOfEnd(tx, sheet, executionId);
  const count = (tasks: typeof pending) => tasks.reduce((sum, task) => sum + task.rows.count, 0);
  return { notStarted: count(pending) - count(running), running: count(running) };
}

/** Ends an execution that has spent what it may. What it has not computed stays stale, and can be queued again. */
export async function stopOverBudget(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  executionId: string,
): Promise<void> {
  await cancelTasks(tx, types, sheet, { executionId, spent: true });
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

const DROP_TASKS = 'DELETE FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2';

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
  for (const { id } of cancelled) tellOfEnd(tx, sheet, id);
}
