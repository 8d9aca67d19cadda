import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import type { JsonValue } from '../../platform/json.js';
import { ColumnTypes } from '../column-types/column-type.js';
import { asText } from '../column-types/values.js';
import type { SheetColumn } from '../columns/column.entity.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../rows/row-set.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../sheets/sheet.entity.js';
import { addressOf } from '../sheets/sheets.service.js';
import { TableErrors } from '../tables.errors.js';
import { recordVersion } from '../versions/record-version.js';
import { parseCellId } from './cell-id.js';
import { CellView } from './cell-view.js';
import type { CellBody, CellPath } from './cells.dto.js';
import { readCells, writeCells } from './cells.queries.js';
import { markStale } from './mark-stale.js';

/** What an edit gives; a key that is left out follows from the other. */
export interface CellEdit {
  value?: JsonValue;
  displayValue?: string | null;
}

interface Place {
  sheet: Sheet;
  columns: SheetColumns;
  column: SheetColumn;
  rowIndex: number;
}

@Injectable()
export class CellsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  get(caller: Caller, path: CellPath): Promise<CellBody> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      return view(tx, await this.locate(tx, sheet, path.cell_id));
    });
  }

  /** Writes a text cell and marks everything computed from it stale. Writing what is there already changes nothing. */
  edit(
    caller: Caller,
    path: CellPath,
    edit: CellEdit,
  ): Promise<{ cell: CellBody; version: number; staleCount: number }> {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const place = await this.locate(tx, sheet, path.cell_id);
      place.columns.requireInput(place.column);
      const before = await readContent(tx, place);
      const after = contentOf(edit, before);
      const changed = JSON.stringify(before) !== JSON.stringify(after);
      const staleCount = changed ? await this.write(tx, caller, place, { before, after }) : 0;
      return { cell: await view(tx, place), version: sheet.version, staleCount };
    });
  }

  private async write(
    tx: EntityManager,
    caller: Caller,
    place: Place,
    { before, after }: { before: Content; after: Content },
  ) {
    const { sheet, columns, column, rowIndex } = place;
    const version = await recordVersion(tx, sheet, {
      deltas: [{ type: 'cell.update', column_id: column.id, row_index: rowIndex, ...sizes(before, after) }],
      createdBy: caller.keyName,
    });
    const write = { workspaceId: sheet.workspaceId, version, executionId: null, mayReplace: true };
    await writeCells(tx, write, [{ columnKey: column.key, rowIndex, ...after }]);
    return markStale(tx, sheet, columns.dependents([column]), RowSet.range(rowIndex, rowIndex + 1));
  }

  /** Where an id points. Throws cell_not_found unless that is a live cell of this sheet. */
  private async locate(tx: EntityManager, sheet: Sheet, id: string): Promise<Place> {
    const address = parseCellId(id);
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const column = address && columns.byKey(address.columnKey);
    if (!column || !sheet.rows.has(address.rowIndex)) throw TableErrors.cell_not_found(id);
    return { sheet, columns, column, rowIndex: address.rowIndex };
  }
}

interface Content {
  value: JsonValue;
  displayValue: string | null;
}

async function readContent(tx: EntityManager, { sheet, column, rowIndex }: Place): Promise<Content> {
  const rows = { from: rowIndex, to: rowIndex + 1 };
  const [record] = await readCells(tx, { workspaceId: sheet.workspaceId, columnKeys: [column.key], rows });
  return { value: record?.value ?? null, displayValue: record?.displayValue ?? null };
}

/** The text shown is kept only where it is not simply the text of the value. */
function contentOf({ value, displayValue }: CellEdit, before: Content): Content {
  if (value === undefined && displayValue === undefined) return before;
  if (value === undefined) return { value: displayValue ?? null, displayValue: null };
  const shown = value === null ? null : asText(value);
  const own = displayValue === undefined || displayValue === shown ? null : displayValue;
  return { value, displayValue: own };
}

/** Versions keep what cells held; the list of changes only says how much that was. */
function sizes(before: Content, after: Content) {
  return { characters_before: asText(before.value).length, characters_after: asText(after.value).length };
}

async function view(tx: EntityManager, { sheet, columns, column, rowIndex }: Place): Promise<CellBody> {
  const rows = { from: rowIndex, to: rowIndex + 1 };
  return (await CellView.read(tx, sheet, columns, { list: [column], rows })).cell(column, rowIndex);
}
