import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, pageEnvelope, readingOrder } from '../../platform/http/list.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { CellView } from '../grid/cells/cell-view.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { aggregateMetadata } from '../grid/cells/metadata-aggregates.queries.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { readRowTexts, type RowWriting } from '../grid/versions/row-texts.js';
import { currentGrid, readGrid } from '../grid/versions/sheet-grid.js';
import { addRows, type NewRows } from '../grid/rows/add-rows.js';
import { deleteRows } from '../grid/rows/delete-rows.js';
import { rangeOf, RowSet } from '../grid/rows/row-set.js';

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

  /**
   * A page of rows with all their cells, as JSON texts, read at one moment; `version` (number or id) asks for what they
   * were then. Rows that hold much are fewer than `limit`.
   */
  list(caller: Caller, path: SheetPath, page: RowsPage) {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const grid = await readGrid(tx, this.types, sheet, page.version);
      const filters = page.version === undefined ? {} : { version: grid.version };
      const sort: ListOrder = { sort: `row_index:${sheet.id}`, order: page.order, filters };
      const position = page.cursor ? decodePosition(sort, page.cursor, ['number']) : null;
      const beside = (position?.values[0] ?? null) as number | null;
      const indexes = grid.rows.page(beside, page.limit + 1, readingOrder(page.order, position));
      const columns = grid.columns.shown(page);
      const writing = rowWriting(columns, indexes.slice(0, page.limit));
      const rows = await readRowTexts(tx, grid, { ...writing, isReversed: position?.isBackward });
      const envelope = pageEnvelope(indexes, { ...page, shown: rows.indexes.length }, sort, (index) => [index]);
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
      const { write } = rowWriting(shown, indexes);
      // They came in one body, so they fit into memory.
      const part = { list: shown, rows: rangeOf(RowSet.of(indexes)) };
      const view = await currentGrid(sheet, columns).view(tx, part);
      const rows = indexes.map((index) => write(view, index));
      return { sheet, indexes, rows, cellCount: indexes.length * shown.length };
    });
  }

  /** Deletes those of the rows that exist. Other rows keep their indexes. */
  delete(caller: Caller, path: SheetPath, indexes: number[]) {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const rows = RowSet.of(indexes).intersect(sheet.rows);
      const columns = await SheetColumns.read(tx, this.types, sheet);
      if (!rows.isEmpty) {
        await deleteRows(tx, caller, { sheet, columns }, rows);
        const details = { count: rows.count, first_row_index: rows.ranges[0]!.from, version: sheet.version };
        await audit(tx, caller, { action: 'sheet.delete_rows', entityId: sheet.id, details });
      }
      return { sheet, deletedCount: rows.count };
    });
  }
}

function rowWriting(list: SheetColumn[], indexes: number[]): RowWriting {
  const cells = (view: CellView, index: number) =>
    list.map((column) => `"${column.id}":${view.json(column, index)}`).join(',');
  return { list, indexes, write: (view, index) => `{"row_index":${index},"cells":{${cells(view, index)}}}` };
}
