import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { type PendingRows, pendingRows, readPending } from './tasks.queries.js';

/** Cells by state. Every state is present. */
export interface StatusCounts {
  STALE: number;
  QUEUED: number;
  DISPATCHED: number;
  RUNNING: number;
  COMPLETED: number;
  FAILED: number;
}

/**
 * Counts the cells of a sheet that are computed or answered by people, without those of its scorecard. It works on sets
 * of rows: its cost does not grow with the number of cells.
 */
export async function countStates(tx: EntityManager, sheet: Sheet, columns: SheetColumns): Promise<StatusCounts> {
  const counted = columns.ofSheet.filter((column) => columns.rules(column).counted !== 'none');
  const keys = counted.map((column) => column.key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
  const steps = new Set(columns.steps.map(({ key }) => key));
  const pending = (await readPending(tx, sheet)).filter(({ columnKey }) => !steps.has(columnKey));
  const busyRows = pendingRows(pending);
  const counts = countPending(pending);
  for (const column of counted) {
    const idle = sheet.rows.without(busyRows.get(column.key) ?? RowSet.EMPTY);
    const { stale, failed, completed } = states.split(column.key, idle);
    if (columns.rules(column).counted === 'all') counts.STALE += stale.count;
    counts.FAILED += failed.count;
    counts.COMPLETED += completed.count;
  }
  return counts;
}

export function countPending(pending: PendingRows[]): StatusCounts {
  const sum = (tasks: PendingRows[]) => tasks.reduce((total, task) => total + task.rows.count, 0);
  return {
    STALE: 0,
    QUEUED: sum(pending.filter((task) => !task.running)),
    DISPATCHED: 0,
    RUNNING: sum(pending.filter((task) => task.running)),
    COMPLETED: 0,
    FAILED: 0,
  };
}
