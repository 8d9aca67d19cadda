import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { decodeCursor, encodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { CellView } from '../cells/cell-view.js';
import type { CellBody } from '../cells/cells.dto.js';
import { type NewCell, writeCells } from '../cells/cells.queries.js';
import { markStale } from '../cells/mark-stale.js';
import { ColumnTypes } from '../column-types/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../sheets/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { TableErrors } from '../tables.errors.js';
import { recordVersion } from '../versions/record-version.js';
import { nextRowIndex } from './next-row-index.js';
import { RowSet } from './row-set.js';

export interface RowView {
  rowIndex: number;
  cells: Record<string, CellBody>;
}

@Injectable()
export class RowsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A page of rows with all their cells, read at one moment. */
  list(caller: Caller, path: SheetPath, page: { cursor?: string; limit: number; order: Order }) {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const list = rowOrder(sheet.id, page.order);
      const [after] = page.cursor ? decodeCursor(list, page.cursor, ['number']) : [null];
      const indexes = sheet.rows.page(after as number | null, page.limit + 1, page.order);
      const shown = indexes.slice(0, page.limit);
      const nextCursor = indexes.length > page.limit ? encodeCursor(list, [shown.at(-1)!]) : null;
      return { sheet, columns, nextCursor, rows: await viewRows(tx, sheet, columns, shown) };
    });
  }

  /**
   * Adds rows after the last one. Their computed cells are stale and wait until somebody starts a recalculation.
   * `values` fills the first rows: column id → value.
   */
  add(caller: Caller, path: SheetPath, { count, values }: { count: number; values: JsonObject[] }) {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      if (columns.list.length === 0) throw TableErrors.sheet_without_columns();
      if (sheet.rows.count + count > this.config.maxRowsPerSheet) {
        throw TableErrors.row_limit_exceeded(this.config.maxRowsPerSheet);
      }
      const start = nextRowIndex(sheet);
      const added = RowSet.range(start, start + count);
      const cells = values.slice(0, count).flatMap((row, index) => toCells(columns, row, start + index));
      const version = await recordVersion(tx, sheet, {
        rows: sheet.rows.union(added),
        deltas: [{ type: 'rows.add', row_index: start, count }],
        createdBy: caller.keyName,
      });
      const { workspaceId } = sheet;
      // A deleted last row gives its index back, so the cells may have a past.
      await writeCells(tx, { workspaceId, version, executionId: null, mayReplace: true }, cells);
      await markStale(tx, sheet, columns.computed, added);
      const rows = await viewRows(tx, sheet, columns, [...added]);
      return { sheet, rows, start, cellCount: count * columns.list.length, version };
    });
  }
}

function rowOrder(sheetId: string, order: Order): ListOrder {
  return { sort: `row_index:${sheetId}`, order };
}

async function viewRows(tx: EntityManager, sheet: Sheet, columns: SheetColumns, indexes: number[]): Promise<RowView[]> {
  if (indexes.length === 0) return [];
  const rows = { from: Math.min(...indexes), to: Math.max(...indexes) + 1 };
  const view = await CellView.read(tx, sheet, columns, { list: columns.list, rows });
  return indexes.map((rowIndex) => ({
    rowIndex,
    cells: Object.fromEntries(columns.list.map((column) => [column.id, view.cell(column, rowIndex)])),
  }));
}

function toCells(columns: SheetColumns, values: JsonObject, rowIndex: number): NewCell[] {
  return Object.entries(values).map(([id, value]) => {
    const column = columns.find(id);
    if (!column) throw TableErrors.column_reference_unknown('values', id);
    columns.requireInput(column);
    return { columnKey: column.key, rowIndex, value };
  });
}
