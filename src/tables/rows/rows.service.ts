import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { decodeCursor, encodeCursor, type ListOrder } from '../../platform/http/cursor.js';
import type { Order } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { type NewCell, writeCells } from '../grid/cells/cells.queries.js';
import { editedContent } from '../grid/cells/cell-edit.js';
import { markStale, settleAnswers } from '../grid/states/mark-stale.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { aggregateMetadata } from '../grid/cells/metadata-aggregates.queries.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { GridErrors } from '../grid/grid.errors.js';
import { recordVersion } from '../grid/versions/record-version.js';
import { currentGrid, readGrid, type SheetGrid } from '../grid/versions/sheet-grid.js';
import { deleteRows } from '../grid/rows/delete-rows.js';
import { nextRowIndex } from '../grid/rows/next-row-index.js';
import { RowSet } from '../grid/rows/row-set.js';

interface RowsPage {
  cursor?: string;
  limit: number;
  order: Order;
  /** The number or id of a version; the present when it is left out. */
  version?: string;
  withSystem: boolean;
  withAggregates: boolean;
}

@Injectable()
export class RowsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A page of rows with all their cells, as JSON texts, read at one moment; `version` (number or id) asks for what they were then. */
  list(caller: Caller, path: SheetPath, page: RowsPage) {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const grid = await readGrid(tx, this.types, sheet, page.version);
      const filters = page.version === undefined ? {} : { version: grid.version };
      const sort: ListOrder = { sort: `row_index:${sheet.id}`, order: page.order, filters };
      const [after] = page.cursor ? decodeCursor(sort, page.cursor, ['number']) : [null];
      const indexes = grid.rows.page(after as number | null, page.limit + 1, page.order);
      const shown = indexes.slice(0, page.limit);
      const nextCursor = indexes.length > page.limit ? encodeCursor(sort, [shown.at(-1)!]) : null;
      const columns = grid.columns.shown(page);
      const rows = await viewRows(tx, grid, { columns, indexes: shown });
      const { workspaceId } = sheet;
      const aggregates = page.withAggregates
        ? await aggregateMetadata(tx, { workspaceId, rows: grid.rows, version: grid.version }, grid.columns.list)
        : null;
      return { grid, list: columns, filters, nextCursor, rows, aggregates };
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
      if (columns.list.length === 0) throw GridErrors.sheet_without_columns();
      if (sheet.rows.count + count > this.config.maxRowsPerSheet) {
        throw GridErrors.row_limit_exceeded(this.config.maxRowsPerSheet);
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
      await markStale(tx, sheet, columns.withStates, added);
      await settleAnswers(tx, sheet, columns, cells);
      const shown = columns.shown({ withSystem: false });
      const rows = await viewRows(tx, currentGrid(sheet, columns), { columns: shown, indexes: [...added] });
      return { sheet, indexes: [...added], rows, start, cellCount: count * shown.length, version };
    });
  }

  /** Deletes those of the rows that exist. Other rows keep their indexes. */
  delete(caller: Caller, path: SheetPath, indexes: number[]) {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const rows = RowSet.of(indexes).intersect(sheet.rows);
      const columns = await SheetColumns.read(tx, this.types, sheet);
      if (!rows.isEmpty) await deleteRows(tx, caller, { sheet, columns }, rows);
      return { sheet, deletedCount: rows.count };
    });
  }
}

/** The rows as JSON texts, one after the other. */
async function viewRows(
  tx: EntityManager,
  grid: SheetGrid,
  { columns: list, indexes }: { columns: SheetColumn[]; indexes: number[] },
): Promise<string[]> {
  if (indexes.length === 0) return [];
  const rows = { from: Math.min(...indexes), to: Math.max(...indexes) + 1 };
  const cells = await grid.view(tx, { list, rows });
  const row = (index: number) => list.map((column) => `"${column.id}":${cells.json(column, index)}`).join(',');
  return indexes.map((index) => `{"row_index":${index},"cells":{${row(index)}}}`);
}

function toCells(columns: SheetColumns, values: JsonObject, rowIndex: number): NewCell[] {
  // By column, because an id may be given twice, in two letter cases.
  const cells = new Map<string, NewCell>();
  for (const [id, value] of Object.entries(values)) {
    const column = columns.find(id);
    if (!column) throw GridErrors.column_reference_unknown('values', id);
    const content = editedContent(columns, column, { value }, { value: null, displayValue: null });
    cells.set(column.key, { columnKey: column.key, rowIndex, ...content });
  }
  return [...cells.values()];
}
