import type { EntityManager } from 'typeorm';
import type { SheetColumn } from '../columns/column.entity.js';
import { rangeOf, type RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { noteStale } from './stale-notes.js';
import { ChunkStates } from './chunk-states.js';

/**
 * Marks the cells of these computed columns stale in these rows, as part of the version that was just recorded: their
 * inputs have changed, or they were never computed. Returns how many became stale. The sheet must be locked.
 */
export async function markStale(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumn[],
  rows: RowSet,
): Promise<number> {
  const keys = columns.map((column) => column.key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, rangeOf(rows));
  const counts = keys.map((key) => states.markStale(key, rows));
  await states.save(tx, sheet.version);
  if (columns.length > 0) noteStale(tx, sheet, rows);
  return counts.reduce((sum, count) => sum + count, 0);
}
