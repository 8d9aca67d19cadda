import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { GridErrors } from '../shared/grid.errors.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { type CellAddress, parseCellId } from '../shared/cell-id.js';
import { NamedColumns } from './named-columns.js';

/** A cell as callers name it: by its id, or by its row and the id or title of its column. */
export type CellReference = { cellId: string } | { rowIndex: number; column: string };

/** Where a cell of a sheet is. */
export interface CellPlace {
  column: SheetColumn;
  rowIndex: number;
}

export function addressOf({ column, rowIndex }: CellPlace): CellAddress {
  return { columnKey: column.key, rowIndex };
}

/** Finds the cells of a sheet that callers name. One request may name thousands, so columns are looked up in maps. */
export class CellPlaces {
  private readonly byKey: Map<string, SheetColumn>;
  private readonly named: NamedColumns;

  constructor(
    private readonly sheet: Pick<Sheet, 'rows'>,
    columns: SheetColumns,
  ) {
    this.byKey = new Map(columns.ofSheet.map((column) => [column.key, column]));
    this.named = new NamedColumns(columns);
  }

  /** Throws cell_not_found, row_not_found, column_not_found or column_reference_ambiguous. */
  find(reference: CellReference): CellPlace {
    return 'cellId' in reference ? this.byId(reference.cellId) : this.at(reference.rowIndex, reference.column);
  }

  /** Throws cell_not_found unless the id is that of a live cell of this sheet. */
  byId(id: string): CellPlace {
    const address = parseCellId(id);
    const column = address && this.byKey.get(address.columnKey);
    if (!column || !this.sheet.rows.has(address.rowIndex)) throw GridErrors.cell_not_found(id);
    return { column, rowIndex: address.rowIndex };
  }

  private at(rowIndex: number, name: string): CellPlace {
    const column = this.named.find('column', name);
    if (!column) throw GridErrors.column_not_found(name);
    if (!this.sheet.rows.has(rowIndex)) throw GridErrors.row_not_found(rowIndex);
    return { column, rowIndex };
  }
}
