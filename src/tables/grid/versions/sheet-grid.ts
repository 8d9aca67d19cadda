import type { EntityManager } from 'typeorm';
import { CellView } from '../cells/cell-view.js';
import type { ColumnTypes } from '../column-type/column-type.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import type { RowRange, RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';
import { findVersion } from './find-version.js';
import { endWithinBytes, readCellsAt, readColumnsAt, readStatesAt } from './grid-at-version.queries.js';
import type { SheetVersion } from './sheet-version.entity.js';

/** Some columns over a range of rows. */
export interface GridPart {
  list: SheetColumn[];
  rows: RowRange;
}

/** The columns and rows of a sheet, as they are now or as they were at one of its versions. */
export interface SheetGrid {
  version: number;
  rows: RowSet;
  columns: SheetColumns;
  /** The cells of a part of it. The transaction may be another one than the grid was read in when it is a past one. */
  view(tx: EntityManager, part: GridPart): Promise<CellView>;
}

/**
 * The grid of a sheet at a version, given by number or id, or as it is now when none is given. Throws
 * version_not_found.
 */
export async function readGrid(
  tx: EntityManager,
  types: ColumnTypes,
  sheet: Sheet,
  reference: string | undefined,
): Promise<SheetGrid> {
  if (reference !== undefined) return PastGrid.read(tx, types, sheet, await findVersion(tx, sheet, reference));
  return currentGrid(sheet, await SheetColumns.read(tx, types, sheet));
}

/** A sheet as it is now. */
export function currentGrid(sheet: Sheet, columns: SheetColumns): SheetGrid {
  const { version, rows } = sheet;
  return { version, rows, columns, view: (tx, part) => CellView.read(tx, sheet, columns, part) };
}

/**
 * A sheet at one of its versions. A version below the newest never changes, so its parts may be read one after the
 * other in transactions of their own. Nothing is queued or running in it: such cells show the state they had besides.
 */
export class PastGrid implements SheetGrid {
  private constructor(
    private readonly sheet: Sheet,
    readonly version: number,
    readonly rows: RowSet,
    readonly columns: SheetColumns,
  ) {}

  static async read(tx: EntityManager, types: ColumnTypes, sheet: Sheet, version: SheetVersion): Promise<PastGrid> {
    const { list, edges } = await readColumnsAt(tx, sheet, version.number);
    return new PastGrid(sheet, version.number, version.rows, new SheetColumns(list, edges, types));
  }

  async view(tx: EntityManager, { list, rows }: GridPart): Promise<CellView> {
    const { workspaceId } = this.sheet;
    const columnKeys = list.map((column) => column.key);
    const stateful = this.stateKeys(list);
    const states = await readStatesAt(tx, { workspaceId, columnKeys: stateful, rows }, this.version);
    const records = columnKeys.length > 0 ? await readCellsAt(tx, { workspaceId, columnKeys, rows }, this.version) : [];
    return new CellView(this.sheet, new Set(stateful), { records, states, pending: [] });
  }

  /** How far the part may reach so that its contents have no more than so many bytes; at least one row. */
  endWithin(tx: EntityManager, { list, rows }: GridPart, bytes: number): Promise<number> {
    const columnKeys = list.map((column) => column.key);
    return endWithinBytes(tx, { workspaceId: this.sheet.workspaceId, columnKeys, rows }, this.version, bytes);
  }

  /** The columns among these whose cells have a state. */
  stateKeys(list: SheetColumn[]): string[] {
    return list.filter((column) => this.columns.rules(column).hasStates).map((column) => column.key);
  }
}
