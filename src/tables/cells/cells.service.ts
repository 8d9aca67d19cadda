import type { CellDetail } from './cell-detail.js';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, FindsInPath, type PathLookup } from '../../access/index.js';
import type { CellEdit } from '../../grid/cells/cell-edit.js';
import { type CellPlace, CellPlaces, type CellReference } from '../../grid/cells/cell-places.js';
import { LargeValues } from '../../grid/cells/large-values.js';
import { CellView } from '../../grid/computing/cell-view.js';
import { editCells, type EditOfCell } from '../../grid/cells/edit-cells.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { findStaleCause } from '../../grid/states/stale-cause.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import type { CellPath } from './cells.dto.js';

export interface WrittenCells {
  version: number;
  changedCount: number;
  staleCount: number;
  /** JSON texts, in the order of the edits. */
  cells: string[];
  /** Large values, which are only marks in `cells`. */
  large: LargeValues;
}

@FindsInPath({ name: 'cell_id', ids: { table_id: 'uuid', sheet_id: 'uuid', cell_id: 'uuid' } })
export class CellsService implements PathLookup<CellPath> {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  get(caller: Caller, path: CellPath): Promise<CellDetail> {
    return this.find(caller, path, { cellId: path.cell_id });
  }

  find(caller: Caller, path: SheetPath, cell: CellReference): Promise<CellDetail> {
    const large = this.largeValues(caller);
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      return viewCell(tx, { sheet, columns, large }, new CellPlaces(sheet, columns).find(cell));
    });
  }

  findInPath(caller: Caller, path: CellPath): Promise<CellDetail> {
    return this.get(caller, path);
  }

  /** Writes a cell and marks everything computed from it stale. Writing what is there already changes nothing. */
  edit(caller: Caller, path: CellPath, edit: CellEdit): Promise<CellDetail & { version: number; staleCount: number }> {
    const large = this.largeValues(caller);
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const editing = { columns, createdBy: caller.keyName };
      const { places, staleCount } = await editCells(tx, sheet, editing, [{ cell: { cellId: path.cell_id }, edit }]);
      return { ...(await viewCell(tx, { sheet, columns, large }, places[0]!)), version: sheet.version, staleCount };
    });
  }

  /** Writes many cells as one version, all of them or none. */
  editMany(caller: Caller, path: SheetPath, edits: EditOfCell[]): Promise<WrittenCells> {
    const large = this.largeValues(caller);
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const { places, ...counts } = await editCells(tx, sheet, { columns, createdBy: caller.keyName }, edits);
      const written = await CellView.readSingle(tx, { sheet, columns, large }, places);
      const cells = places.map(({ column, rowIndex }) => written.json(column, rowIndex));
      return { ...counts, version: sheet.version, cells, large };
    });
  }

  /** Large values are read while the answer is sent, after the transaction. */
  private largeValues({ workspaceId }: Caller): LargeValues {
    return new LargeValues(this.db.manager, workspaceId);
  }
}

async function viewCell(
  tx: EntityManager,
  { sheet, columns, large }: { sheet: Sheet; columns: SheetColumns; large: LargeValues },
  place: CellPlace,
): Promise<CellDetail> {
  const view = await CellView.readSingle(tx, { sheet, columns, large }, [place]);
  const cell = view.cell(place.column, place.rowIndex);
  const cause = cell.status === 'stale' ? await findStaleCause(tx, sheet, columns, place) : null;
  return { cell, cause, large };
}
