import type { EntityManager } from 'typeorm';
import type { NewCell } from './cells.queries.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import { type RowsByColumn, rowsByColumn } from '../shared/rows-by-column.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { noteStale } from '../states/stale-notes.js';
import { ChunkStates } from '../states/chunk-states.js';

/** The cells that people wrote, and those that became stale by it. */
export interface WrittenCells {
  stale: RowsByColumn;
  cells: Pick<NewCell, 'columnKey' | 'rowIndex' | 'value'>[];
}

/**
 * Updates the states of a locked sheet after people wrote into cells, as part of the version that was just recorded.
 * Marks cells stale, completes answered ones, and reopens those whose answer was cleared. Returns how many cells became
 * stale, without those of a scorecard.
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
