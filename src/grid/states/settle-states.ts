import type { EntityManager } from 'typeorm';
import type { NewCell } from '../cells/cells.queries.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../rows/row-set.js';
import { type RowsByColumn, rowsByColumn } from '../rows/rows-by-column.js';
import type { Sheet } from '../sheet.entity.js';
import { noteStale } from './stale-notes.js';
import { ChunkStates } from './chunk-states.js';

/** What people have written, and what became stale by it. */
export interface WrittenCells {
  stale: RowsByColumn;
  cells: Pick<NewCell, 'columnKey' | 'rowIndex' | 'value'>[];
}

/**
 * Brings the states of a locked sheet up to date after people wrote into cells, as part of the version that was just
 * recorded. Marks cells stale, completes those that were answered, and lets those wait again whose answer was taken
 * back. Gives how many of the cells to mark were not stale before, without those of a scorecard.
 */
export async function settleStates(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { stale, cells }: WrittenCells,
): Promise<number> {
  const keys = new Set(columns.withStates.map((column) => column.key));
  const answers = cells.filter((cell) => keys.has(cell.columnKey));
  const answered = rowsByColumn(answers.filter(({ value }) => value !== null));
  const takenBack = rowsByColumn(answers.filter(({ value }) => value === null));
  const touched = [...stale, ...answered, ...takenBack];
  const rows = rangeOf(RowSet.union(touched.map(([, set]) => set)));
  const touchedKeys = [...new Set(touched.map(([key]) => key))];
  const states = await ChunkStates.read(tx, sheet.workspaceId, touchedKeys, rows);
  const steps = new Set(columns.steps.map(({ key }) => key));
  const counts = [...stale].map(([key, set]) => states.markStale(key, set) * (steps.has(key) ? 0 : 1));
  for (const [key, set] of takenBack) states.markStale(key, set);
  for (const [key, set] of answered) states.settle(key, set, RowSet.EMPTY);
  await states.save(tx, sheet.version);
  noteStale(tx, sheet, RowSet.union([...stale].map(([, set]) => set)));
  return counts.reduce((sum, count) => sum + count, 0);
}
