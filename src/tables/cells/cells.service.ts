import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { asText } from '../grid/column-type/values.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { RowSet } from '../grid/rows/row-set.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../grid/sheet.entity.js';
import { addressOf } from '../sheets/sheets.service.js';
import { GridErrors } from '../grid/grid.errors.js';
import { recordVersion } from '../grid/versions/record-version.js';
import { type CellContent, type CellEdit, editedContent, isSameContent } from '../grid/cells/cell-edit.js';
import { parseCellId } from '../grid/cells/cell-id.js';
import { CellView } from '../grid/cells/cell-view.js';
import type { CellBody, CellPath } from './cells.dto.js';
import { readCells, valueOf, writeCells } from '../grid/cells/cells.queries.js';
import { markStale, settleAnswers } from '../grid/states/mark-stale.js';
import { findStaleCause, type StaleCause } from '../grid/states/stale-cause.js';

/** A cell and, when it is stale, why. */
export interface CellDetail {
  cell: CellBody;
  cause: StaleCause | null;
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

  get(caller: Caller, path: CellPath): Promise<CellDetail> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      return view(tx, await this.locate(tx, sheet, path.cell_id));
    });
  }

  /** Writes a cell and marks everything computed from it stale. Writing what is there already changes nothing. */
  edit(caller: Caller, path: CellPath, edit: CellEdit): Promise<CellDetail & { version: number; staleCount: number }> {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const place = await this.locate(tx, sheet, path.cell_id);
      const before = await readContent(tx, place);
      const after = editedContent(place.columns, place.column, edit, before);
      const staleCount = isSameContent(before, after) ? 0 : await write(tx, caller, place, { before, after });
      return { ...(await view(tx, place)), version: sheet.version, staleCount };
    });
  }

  /** Where an id points. Throws cell_not_found unless that is a live cell of this sheet. */
  private async locate(tx: EntityManager, sheet: Sheet, id: string): Promise<Place> {
    const address = parseCellId(id);
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const column = address && columns.byKey(address.columnKey);
    if (!column || !sheet.rows.has(address.rowIndex)) throw GridErrors.cell_not_found(id);
    return { sheet, columns, column, rowIndex: address.rowIndex };
  }
}

async function write(
  tx: EntityManager,
  caller: Caller,
  place: Place,
  { before, after }: { before: CellContent; after: CellContent },
): Promise<number> {
  const { sheet, columns, column, rowIndex } = place;
  const version = await recordVersion(tx, sheet, {
    deltas: [{ type: 'cell.update', column_id: column.id, row_index: rowIndex, ...sizes(before, after) }],
    createdBy: caller.keyName,
  });
  const write = { workspaceId: sheet.workspaceId, version, executionId: null, mayReplace: true };
  const cell = { columnKey: column.key, rowIndex, ...after };
  await writeCells(tx, write, [cell]);
  await settleAnswers(tx, sheet, columns, [cell]);
  // A new text to show changes nothing that is computed.
  if (isDeepStrictEqual(before.value, after.value)) return 0;
  return markStale(tx, sheet, columns.dependents([column]), RowSet.range(rowIndex, rowIndex + 1));
}

async function readContent(tx: EntityManager, { sheet, column, rowIndex }: Place): Promise<CellContent> {
  const rows = { from: rowIndex, to: rowIndex + 1 };
  const [record] = await readCells(tx, { workspaceId: sheet.workspaceId, columnKeys: [column.key], rows });
  return { value: valueOf(record), displayValue: record?.displayValue ?? null };
}

/** Versions keep what cells held; the list of changes only says how much that was. */
function sizes(before: CellContent, after: CellContent) {
  return { characters_before: asText(before.value).length, characters_after: asText(after.value).length };
}

async function view(tx: EntityManager, place: Place): Promise<CellDetail> {
  const { sheet, columns, column, rowIndex } = place;
  const rows = { from: rowIndex, to: rowIndex + 1 };
  const cell = (await CellView.read(tx, sheet, columns, { list: [column], rows })).cell(column, rowIndex);
  return { cell, cause: cell.status === 'stale' ? await findStaleCause(tx, sheet, columns, place) : null };
}
