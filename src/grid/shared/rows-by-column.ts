import type { CellAddress } from './cell-id.js';
import { RowSet } from './row-set.js';

/** Rows by the key of a column. */
export type RowsByColumn = Map<string, RowSet>;

/** Groups cells by column, as sets of rows. */
export function rowsByColumn(cells: CellAddress[]): RowsByColumn {
  const rows = new Map<string, number[]>();
  for (const { columnKey, rowIndex } of cells) {
    const indexes = rows.get(columnKey);
    if (indexes) indexes.push(rowIndex);
    else rows.set(columnKey, [rowIndex]);
  }
  return new Map([...rows].map(([key, indexes]) => [key, RowSet.of(indexes)]));
}
