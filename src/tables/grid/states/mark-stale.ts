import type { EntityManager } from 'typeorm';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import type { NewCell } from '../cells/cells.queries.js';
import { ChunkStates } from './chunk-states.js';

/**
 * Marks the cells of these computed columns stale in these rows, as part of the version that was just recorded: their
 * inputs have changed, or they were never computed. Gives how many were not stale before. The sheet must be locked.
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
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Completes the cells that were answered, and lets those wait again whose answer was taken back. */
export async function settleAnswers(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  cells: Pick<NewCell, 'columnKey' | 'rowIndex' | 'value'>[],
): Promise<void> {
  const keys = new Set(columns.withStates.map((column) => column.key));
  const answers = cells.filter((cell) => keys.has(cell.columnKey));
  if (answers.length === 0) return;
  const { ranges, end } = RowSet.of(answers.map((cell) => cell.rowIndex));
  const states = await ChunkStates.read(tx, sheet.workspaceId, [...keys], { from: ranges[0]!.from, to: end });
  for (const { columnKey, rowIndex, value } of answers) {
    const row = RowSet.range(rowIndex, rowIndex + 1);
    if (value === null) states.markStale(columnKey, row);
    else states.settle(columnKey, row, RowSet.EMPTY);
  }
  await states.save(tx, sheet.version);
}
