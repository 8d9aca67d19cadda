import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../../platform/json.js';
import { ChunkStates } from '../states/chunk-states.js';
import { RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import { recordVersion } from '../versions/record-version.js';
import { readPending } from './tasks.queries.js';

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
  sheet: Sheet,
  executionId: string,
  message: string | null = null,
): Promise<CancelledCells> {
  const { workspaceId } = sheet;
  const pending = await readPending(tx, sheet, executionId);
  if (pending.length === 0) return { notStarted: 0, running: 0 };
  const running = pending.filter((task) => task.running);
  await markStale(tx, sheet, running, { type: 'execution', operation_id: executionId, cancelled: true });
  await tx.query('DELETE FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 AND execution_id = $3', [
    workspaceId,
    sheet.id,
    executionId,
  ]);
  await tx.query(
    `UPDATE executions SET status = 'cancelled', finished_at = now(), cell_count = completed_count + failed_count,
            message = $3
      WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, executionId, message],
  );
  const count = (tasks: typeof pending) => tasks.reduce((sum, task) => sum + task.rows.count, 0);
  return { notStarted: count(pending) - count(running), running: count(running) };
}

/** Ends an execution that has spent what it may. What it has not computed stays stale, and can be queued again. */
export async function stopOverBudget(tx: EntityManager, sheet: Sheet, executionId: string): Promise<void> {
  await cancelTasks(tx, sheet, executionId, 'It has spent max_cost. Recalculate the stale cells to go on.');
}

/** What was being computed is uncertain, so it counts as stale. Cells that were stale before change nothing. */
async function markStale(
  tx: EntityManager,
  sheet: Sheet,
  running: { columnKey: string; rows: RowSet }[],
  delta: JsonObject,
) {
  const keys = running.map((task) => task.columnKey);
  const end = RowSet.union(running.map((task) => task.rows)).end;
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: end });
  const added = running.reduce((sum, task) => sum + states.markStale(task.columnKey, task.rows), 0);
  if (added === 0) return;
  await states.save(tx, await recordVersion(tx, sheet, { deltas: [delta], createdBy: null }));
}
