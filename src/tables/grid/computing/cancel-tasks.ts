import type { EntityManager } from 'typeorm';
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

/** Takes the unfinished cells of an execution back, under the lock of the sheet. Nothing happens when it has ended. */
export async function cancelTasks(tx: EntityManager, sheet: Sheet, executionId: string): Promise<CancelledCells> {
  const { workspaceId } = sheet;
  const pending = await readPending(tx, sheet, executionId);
  if (pending.length === 0) return { notStarted: 0, running: 0 };
  const running = pending.filter((task) => task.running);
  await markStale(tx, sheet, running, executionId);
  await tx.query('DELETE FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 AND execution_id = $3', [
    workspaceId,
    sheet.id,
    executionId,
  ]);
  await tx.query(
    `UPDATE executions SET status = 'cancelled', finished_at = now(), cell_count = completed_count + failed_count
      WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, executionId],
  );
  const count = (tasks: typeof pending) => tasks.reduce((sum, task) => sum + task.rows.count, 0);
  return { notStarted: count(pending) - count(running), running: count(running) };
}

/** What was being computed is uncertain, so it counts as stale. Cells that were stale before change nothing. */
async function markStale(
  tx: EntityManager,
  sheet: Sheet,
  running: { columnKey: string; rows: RowSet }[],
  executionId: string,
) {
  const keys = running.map((task) => task.columnKey);
  const end = RowSet.union(running.map((task) => task.rows)).end;
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: end });
  const added = running.reduce((sum, task) => sum + states.markStale(task.columnKey, task.rows), 0);
  if (added === 0) return;
  const deltas = [{ type: 'execution', operation_id: executionId, cancelled: true }];
  await states.save(tx, await recordVersion(tx, sheet, { deltas, createdBy: null }));
}
