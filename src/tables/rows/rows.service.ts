import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { decodePosition, type ListOrder } from '../../platform/http/cursor.js';
import { type Order, pageEnvelope, readingOrder } from '../../platform/http/list.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { CellView } from '../../grid/computing/cell-view.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { aggregateMetadata } from '../../grid/cells/metadata-aggregates.queries.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { getSheet, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { readRowTexts, type RowTexts, type RowWriting } from '../../grid/versions/row-texts.js';
import { currentGrid, readGrid, type SheetGrid } from '../../grid/versions/sheet-grid.js';
import { addRows, type NewRows } from '../../grid/rows/add-rows.js';
import { deleteRows } from '../../grid/rows/delete-rows.js';
import { rangeOf, RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { ROW_INDEX, RowNames } from './row-names.js';
import { readGridTexts, rowsPerGridPage } from './grid-texts.js';
import { RowErrors } from './rows.errors.js';
import { cursorShape, readSelectedPage, type SelectedRow } from './selected-rows.queries.js';

export interface RowsPage {
  /** Whole cells, or only the parts that a grid shows. */
  view: RowsView;
  cursor?: string;
  /** Number of rows before the page, in its order; not with a cursor. */
  fromRow?: number;
  /** Ids of the columns to read. Default: all. */
  columnIds?: string[];
  limit: number;
  order: Order;
  /** The title or id of a column. Default: row_index. */
  sort?: string;
  /** The filter group of the request. Default: all rows. */
  filter?: unknown;
  /** Location of `filter` and `sort` in the request. */
  place: 'query' | 'body';
  /** The number or id of a version; without it, the present content. */
  version?: string;
  withSystem: boolean;
  withAggregates: boolean;
}

export type RowsView = 'full' | 'grid';

interface AskedSheet {
  caller: Caller;
  path: SheetPath;
  /** Whether rows are filtered, or sorted by a column. */
  selects?: boolean;
}

@Injectable()
export class RowsService {
  constructor(
    private readonly db: DataSource,
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * A page of rows with all their cells, as JSON texts from one snapshot, now or at a version (number or id). Pages of
   * large rows have fewer than `limit`.
   */
  list(caller: Caller, path: SheetPath, page: RowsPage) {
    const selects = isGiven(page.filter) || (isGiven(page.sort) && page.sort !== ROW_INDEX);
    if (!selects) return this.db.transaction('REPEATABLE READ', (tx) => this.readPage(tx, { caller, path }, page));
    if (page.version !== undefined) throw RowErrors.rows_of_version_unfiltered();
    // It reads every row, so it has a time limit and does not use the connections for ingestion.
    return this.reading.read((tx) => this.readPage(tx, { caller, path, selects }, page));
  }

  private async readPage(tx: EntityManager, { caller, path, selects = false }: AskedSheet, page: RowsPage) {
    const sheet = await getSheet(tx, addressOf(caller, path));
    const grid = await readGrid(tx, this.types, sheet, page.version);
    const found = selects ? await selectPage(tx, { sheet, columns: grid.columns }, page) : plainPage(sheet, grid, page);
    const columns = columnsOf(grid, page);
    const rows = await readRows(tx, grid, { columns, found, page });
    const shown = rows.indexes.length;
    const envelope = pageEnvelope(found.items, { ...page, shown }, found.list, ({ values }) => values);
    const { workspaceId } = sheet;
    const aggregates = page.withAggregates
      ? await aggregateMetadata(tx, { workspaceId, rows: grid.rows, version: grid.version }, grid.columns.list)
      : null;
    return { grid, list: columns, envelope, rows, aggregates, matching: found.total };
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
      // The rows come from one body, so they fit into memory.
      const part = { list: shown, rows: rangeOf(RowSet.of(indexes)) };
      const view = await currentGrid(sheet, columns).view(tx, part);
      const rows = indexes.map((index) => write(view, index));
      return { sheet, indexes, rows, cellCount: indexes.length * shown.length };
    });
  }

  /** Deletes the existing ones of these rows. Other rows keep their indexes. */
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

/** Throws column_not_found. */
function columnsOf({ columns }: SheetGrid, { columnIds, withSystem }: RowsPage): SheetColumn[] {
  if (!columnIds) return columns.shown({ withSystem });
  const ids = new Set(columnIds.map((id) => id.toLowerCase()));
  const list = columns.shown({ withSystem: true }).filter(({ id }) => ids.delete(id));
  const [unknown] = ids;
  if (unknown !== undefined) throw GridErrors.column_not_found(unknown);
  return list;
}

async function readRows(
  tx: EntityManager,
  grid: SheetGrid,
  { columns, found, page }: { columns: SheetColumn[]; found: FoundPage; page: RowsPage },
): Promise<RowTexts> {
  const inGrid = page.view === 'grid';
  const limit = inGrid ? Math.min(page.limit, rowsPerGridPage(columns.length)) : page.limit;
  const read = found.items.slice(0, limit).map(({ row }) => row);
  if (!inGrid) return readRowTexts(tx, grid, { ...rowWriting(columns, read), isReversed: found.isBackward });
  const indexes = found.isBackward ? read.toReversed() : read;
  return { indexes, texts: await readGridTexts(tx, grid, { list: columns, indexes }), pieces: null };
}

interface FoundPage {
  items: SelectedRow[];
  list: ListOrder;
  isBackward: boolean | undefined;
  /** Number of rows that match the filter. */
  total?: number;
}

function plainPage(sheet: Sheet, grid: SheetGrid, page: RowsPage): FoundPage {
  const filters = page.version === undefined ? {} : { version: grid.version };
  const list: ListOrder = { sort: `${ROW_INDEX}:${sheet.id}`, order: page.order, filters };
  const position = page.cursor ? decodePosition(list, page.cursor, cursorShape(null)) : null;
  const beside = (position?.values[0] ?? null) as number | null;
  const rows =
    page.fromRow === undefined
      ? grid.rows.page(beside, page.limit + 1, readingOrder(page.order, position))
      : grid.rows.at(page.fromRow, page.limit + 1, page.order);
  return { items: rows.map((row) => ({ row, values: [row] })), list, isBackward: position?.isBackward };
}

async function selectPage(
  tx: EntityManager,
  { sheet, columns }: { sheet: Sheet; columns: SheetColumns },
  { order, limit, cursor, fromRow, place, ...page }: RowsPage,
): Promise<FoundPage> {
  const names = new RowNames(columns);
  const sort = names.sortedBy(page.sort ?? ROW_INDEX, [place, 'sort']);
  const filter = isGiven(page.filter) ? names.parse(page.filter, [place, 'filter']) : null;
  const filters = filter && { filter: page.filter };
  const list: ListOrder = { sort: `${sort?.id ?? ROW_INDEX}:${sheet.id}`, order, filters: filters ?? {} };
  const position = cursor ? decodePosition(list, cursor, cursorShape(sort)) : null;
  const grid = { workspaceId: sheet.workspaceId, columns, names };
  const beside = { sort, order, position, offset: fromRow ?? 0, limit: limit + 1 };
  const { items, total } = await readSelectedPage(tx, { sheet, grid, filter }, beside);
  return { items, list, isBackward: position?.isBackward, ...(filter && { total }) };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

function rowWriting(list: SheetColumn[], indexes: number[]): RowWriting {
  const cells = (view: CellView, index: number) =>
    list.map((column) => `"${column.id}":${view.json(column, index)}`).join(',');
  return { list, indexes, write: (view, index) => `{"row_index":${index},"cells":{${cells(view, index)}}}` };
}
