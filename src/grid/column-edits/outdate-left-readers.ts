import type { EntityManager } from 'typeorm';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { refitTasks } from '../computing/pending.queries.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { markStale } from '../states/mark-stale.js';

/**
 * Makes the cells of columns stale that read everything to their left, if other columns are there now, as part of the
 * version that was just recorded. Those that are being computed start again. The sheet must be locked.
 */
export async function outdateLeftReaders(
  tx: EntityManager,
  sheet: Sheet,
  before: SheetColumns,
  after: SheetColumns,
): Promise<void> {
  const affected = after.withDependents(after.withOtherLeft(before));
  if (affected.length === 0) return;
  await refitTasks(tx, sheet, after, affected);
  await markStale(tx, sheet, affected, sheet.rows);
}
