import { api } from '../api/client';
import type { filterOf } from './row-look';
import { SHEET, type SheetPath } from './sheet-data';

/**
 * The position of a row, from 0, among the rows that a filter shows. With deleted or filtered rows the index of a row
 * is not its position: the server counts the rows before it.
 */
export async function placeOf(path: SheetPath, index: number, shown: ReturnType<typeof filterOf>): Promise<number> {
  const before = { field: 'row_index' as const, operator: 'lt' as const, value: index };
  const filter = { logic: 'AND' as const, filters: [before, ...(shown?.filters ?? [])] };
  const body = { view: 'grid' as const, limit: 1, columns: [], include_columns: false, filter };
  const { matching_row_count: matching } = await api(`POST ${SHEET}/rows/search`, { path, body });
  return matching ?? 0;
}
