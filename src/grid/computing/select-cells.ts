import type { EntityManager } from 'typeorm';
import { addressOf, CellPlaces } from '../cells/cell-places.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { GridErrors } from '../shared/grid.errors.js';
import { RowSet } from '../shared/row-set.js';
import { rowsByColumn } from '../shared/rows-by-column.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { ChunkStates } from '../states/chunk-states.js';
import type { Selection } from './queue-cells.js';
import { pendingRows, readPending } from './tasks.queries.js';

export const CELL_STATES = ['STALE', 'QUEUED', 'DISPATCHED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
export type CellState = (typeof CELL_STATES)[number];

/** A selection of computed cells; null in a field means all. */
export interface CellSelection {
  columnIds: string[] | null;
  rows: number[] | null;
  /** Empty means every state. */
  states: CellState[];
}

/** Cells by id, and all cells at the crossings of some columns and rows. */
export interface NamedCells {
  cellIds: string[];
  columnIds: string[];
  rows: number[];
}

/** The computed cells of a sheet by column, row and state, without those that are queued or running. Throws column_not_found and column_not_computed. */
export async function selectCells(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { columnIds, rows: indexes, states: wanted }: CellSelection,
): Promise<Selection> {
  const chosen = chooseColumns(columns, columnIds);
  const rows = indexes === null ? sheet.rows : RowSet.of(indexes).intersect(sheet.rows);
  const keys = chosen.map((column) => column.key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
  const busy = pendingRows(await readPending(tx, sheet));
  const wants = (state: CellState) => wanted.length === 0 || wanted.includes(state);
  return new Map(
    chosen.map((column) => {
      // Pending cells stay with their operation.
      const idle = rows.without(busy.get(column.key) ?? RowSet.EMPTY);
      const { stale, failed, completed } = states.split(column.key, idle);
      const parts = [wants('STALE') ? stale : [], wants('FAILED') ? failed : [], wants('COMPLETED') ? completed : []];
      return [column, RowSet.union(parts.flat())];
    }),
  );
}

/**
 * Selects cells by name, whatever their state, and counts them. Cells that are not computed count, but are not
 * selected: asking for them is no mistake. Rows that do not exist are ignored. Throws cell_not_found and
 * column_not_found.
 */
export function selectNamedCells(
  sheet: Sheet,
  columns: SheetColumns,
  { cellIds, columnIds, rows: indexes }: NamedCells,
): { selection: Selection; count: number } {
  const places = new CellPlaces(sheet, columns);
  const rows = RowSet.of(indexes).intersect(sheet.rows);
  const cells: Selection = new Map(columnIds.map((id) => [columns.require(id), rows]));
  for (const [key, own] of rowsByColumn(cellIds.map((id) => addressOf(places.byId(id))))) {
    const column = columns.byKey(key)!;
    cells.set(column, own.union(cells.get(column) ?? RowSet.EMPTY));
  }
  return { selection: new Map([...cells].filter(([column]) => columns.isComputed(column))), count: countCells(cells) };
}

export function countCells(selection: Selection): number {
  return [...selection.values()].reduce((sum, rows) => sum + rows.count, 0);
}

function chooseColumns(columns: SheetColumns, ids: string[] | null): SheetColumn[] {
  if (ids === null) return columns.ofSheet.filter((column) => columns.isComputed(column));
  return ids.map((id) => {
    const column = columns.require(id);
    if (!columns.isComputed(column)) throw GridErrors.column_not_computed(column.title);
    return column;
  });
}
