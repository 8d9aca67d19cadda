import type { EntityManager } from 'typeorm';
import { type NewCell, readDifferentRows } from '../cells/cells.queries.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { rangeOf, RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { ChunkStates } from '../states/chunk-states.js';

/** Cells that become stale when new results are stored. */
export interface OutdatedCells {
  columns: SheetColumn[];
  rows: RowSet;
}

const NONE: OutdatedCells = { columns: [], rows: RowSet.EMPTY };

/**
 * Finds the cells that become stale when stale cells of a column get these results. Readers of a stale cell are stale
 * too, with two exceptions: a column that reads everything to its left and a step of a scorecard use the stored value,
 * stale or not, and may be up to date. A new value of their sources makes them stale. Call it before the results are
 * written. The sheet must be locked.
 */
export async function findLeftReaders(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  { columnKey, cells, stale }: { columnKey: string; cells: NewCell[]; stale: RowSet },
): Promise<OutdatedCells> {
  if (stale.isEmpty || cells.length === 0) return NONE;
  const { workspaceId } = sheet;
  const columns = await SheetColumns.read(tx, types, sheet);
  const column = columns.byKey(columnKey);
  const readers = column ? columns.tolerantReaders(column) : [];
  if (readers.length === 0) return NONE;
  const keys = readers.map((reader) => reader.key);
  const states = await ChunkStates.read(
    tx,
    workspaceId,
    keys,
    rangeOf(RowSet.of(cells.map(({ rowIndex }) => rowIndex))),
  );
  const upToDate = RowSet.union(keys.map((key) => stale.without(states.stale(key))));
  const candidates = cells.filter((cell) => upToDate.has(cell.rowIndex));
  if (candidates.length === 0) return NONE;
  const different = await readDifferentRows(tx, workspaceId, candidates);
  return { columns: columns.withDependents(readers), rows: RowSet.of(different) };
}
