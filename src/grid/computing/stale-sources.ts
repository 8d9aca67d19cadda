import type { EntityManager } from 'typeorm';
import { ChunkStates } from '../states/chunk-states.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { type RowRange, RowSet } from '../shared/row-set.js';

/**
 * Rows of a range in which a direct or indirect source of the column is stale. Columns that are read only because they
 * are on the left do not count: their values are used as they are.
 */
export async function readStaleSources(
  tx: EntityManager,
  { workspaceId, columns, column }: { workspaceId: number; columns: SheetColumns; column: SheetColumn },
  rows: RowRange,
): Promise<RowSet> {
  const keys = columns.computedSources([column]).map((source) => source.key);
  const states = await ChunkStates.read(tx, workspaceId, keys, rows);
  return RowSet.union(keys.map((key) => states.stale(key)));
}
