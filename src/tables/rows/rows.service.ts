import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, readingOrder, toPage } from '../../platform/http/list.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { aggregateMetadata } from '../grid/cells/metadata-aggregates.queries.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { currentGrid, readGrid, type SheetGrid } from '../grid/versions/sheet-grid.js';
import { addRows, type NewRows } from '../grid/rows/add-rows.js';
import { deleteRows } from '../grid/rows/delete-rows.js';
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
      const position = page.cursor ? decodePosition(sort, page.cursor, ['number']) : null;
      const beside = (position?.values[0] ?? null) as number | null;
      const indexes = grid.rows.page(beside, page.limit + 1, readingOrder(page.order, position));
      const { data: shown, ...envelope } = toPage(indexes, page, sort, (index) => [index]);
      const columns = grid.columns.shown(page);
      const rows = await viewRows(tx, grid, { columns, indexes: shown });
      const { workspaceId } = sheet;
      const aggregates = page.withAggregates
        ? await aggregateMetadata(tx, { workspaceId, rows: grid.rows, version: grid.version }, grid.columns.list)
        : null;
      return { grid, list: columns, envelope, rows, aggregates };
    });
  }

  /** Adds rows after the last one. Their computed cells are stale and wait until somebody starts a recalculation. */
  add(caller: Caller, path: SheetPath, given: NewRows) {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const adding = { columns, createdBy: caller.keyName, maxRows: this.config.maxRowsPerSheet };
      const indexes = [...(await addRows(tx, sheet, adding, given))];
      const shown = columns.shown({ withSystem: false });
      const rows = await viewRows(tx, currentGrid(sheet, columns), { columns: shown, indexes });
      return { sheet, indexes, rows, cellCount: indexes.length * shown.length };
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
