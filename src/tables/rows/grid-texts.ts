import type { EntityManager } from 'typeorm';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { partOf } from '../grid/versions/row-texts.js';
import type { SheetGrid } from '../grid/versions/sheet-grid.js';

/** Cells of a page: what a screen shows, many times over. */
const MAX_CELLS = 20_000;

/** How many rows of so many columns a page may have. */
export function rowsPerGridPage(columns: number): number {
  return Math.max(1, Math.floor(MAX_CELLS / Math.max(1, columns)));
}

/** Rows as JSON texts of `GridRowBody`. The cells are read with one statement, and only the beginning of each. */
export async function readGridTexts(
  tx: EntityManager,
  grid: SheetGrid,
  { list, indexes }: { list: SheetColumn[]; indexes: number[] },
): Promise<string[]> {
  if (indexes.length === 0) return [];
  const part = partOf(list, indexes);
  const found = list.length > 0 ? await grid.texts(tx, part) : [];
  const view = await grid.view(tx, { ...part, records: [] });
  const texts = new Map(list.map(({ key }) => [key, new Map<number, string | null>()]));
  for (const { columnKey, rowIndex, text } of found) texts.get(columnKey)!.set(rowIndex, text);
  return indexes.map((row) => {
    const states = list.flatMap((column, at) => {
      const status = view.status(column, row);
      return status === 'completed' ? [] : [`"${at}":"${status}"`];
    });
    const shown = list.map(({ key }) => texts.get(key)!.get(row) ?? null);
    return `{"row_index":${row},"texts":${JSON.stringify(shown)},"statuses":{${states.join(',')}}}`;
  });
}
