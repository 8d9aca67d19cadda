import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { int8Array } from '../../platform/database/binary-arrays.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { readCellsOfRows, valueOf } from '../../grid/cells/cells.queries.js';
import { editCells } from '../../grid/cells/edit-cells.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { outdateLeftReaders } from '../../grid/column-edits/outdate-left-readers.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { queueCells, type QueuedCells, type Selection } from '../../grid/computing/queue-cells.js';
import { pendingRows, readPending } from '../../grid/computing/tasks.queries.js';
import { addRows } from '../../grid/rows/add-rows.js';
import { forgetRows } from '../../grid/rows/forget-rows.js';
import { rangeOf, RowSet } from '../../grid/shared/row-set.js';
import { ChunkStates } from '../../grid/states/chunk-states.js';
import { recordVersion } from '../../grid/shared/record-version.js';
import { checkColumnCount, insertTextColumns, matchColumns } from '../../imports/index.js';
import { findTableSheet, lockTableSheet, type TableSheet } from '../sheets/lock-sheet.js';

/** A live sheet of a table that gets rows automatically. */
export interface FedSheet {
  sheet: TableSheet;
  columns: SheetColumns;
}

/** States of the computed cells of some rows. */
export interface ComputedRows {
  /** At least one of their cells is queued or being computed. */
  waiting: RowSet;
  /** None is waiting, and at least one has failed. */
  failed: RowSet;
}

/** A value of a computed cell, with the version in which it was stored. */
export interface ComputedValue {
  rowIndex: number;
  columnId: string;
  version: number;
  value: JsonValue;
}

/** Rows that are added to sheets of tables automatically. Every method but `find` needs a locked sheet. */
@Injectable()
export class FedRows {
  constructor(
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** null when the sheet or its table was deleted. */
  async find(tx: EntityManager, workspaceId: number, sheetId: string): Promise<FedSheet | null> {
    const sheet = await findTableSheet(tx, workspaceId, sheetId);
    return sheet && { sheet, columns: await SheetColumns.read(tx, this.types, sheet) };
  }

  /** The same, locked until the end of the transaction. */
  async lock(tx: EntityManager, workspaceId: number, sheetId: string): Promise<FedSheet | null> {
    const sheet = await lockTableSheet(tx, workspaceId, sheetId);
    return sheet && { sheet, columns: await SheetColumns.read(tx, this.types, sheet) };
  }

  /** Number of rows that still fit. */
  room({ sheet }: FedSheet): number {
    return Math.max(0, this.config.maxRowsPerSheet - sheet.rows.count);
  }

  /** Maximum number of rows of a sheet. */
  get mostRows(): number {
    return this.config.maxRowsPerSheet;
  }

  /** Whether computing a row calls models or services. */
  isPaid({ columns }: FedSheet): boolean {
    return computedOf(columns).some((column) => columns.isExternal(column));
  }

  /**
   * Finds the text columns with these titles; missing ones are added at the end as one version. Throws
   * import_column_computed where a column of that title is computed, and import_columns_exceeded.
   */
  async columnsFor(tx: EntityManager, fed: FedSheet, titles: string[], createdBy: string | null): Promise<string[]> {
    const { sheet, columns } = fed;
    const known = matchColumns(columns, titles);
    const missing = titles.filter((_, index) => known[index] === undefined);
    if (missing.length === 0) return known.map((column) => column!.id);
    checkColumnCount(columns.ofSheet.length + missing.length);
    const added = await insertTextColumns(tx, sheet, missing, { version: sheet.version + 1, hidden: false });
    const deltas = added.map(({ id, title }) => ({ type: 'column.create', column_id: id, title }));
    await recordVersion(tx, sheet, { deltas, createdBy });
    fed.columns = await SheetColumns.read(tx, this.types, sheet);
    await outdateLeftReaders(tx, sheet, columns, fed.columns);
    return titles.map((title, index) => (known[index] ?? added[missing.indexOf(title)]!).id);
  }

  /** Adds rows, each as the id of a column → value. Throws row_limit_exceeded. */
  append(tx: EntityManager, { sheet, columns }: FedSheet, rows: JsonObject[]): Promise<RowSet> {
    const adding = { columns, createdBy: null, maxRows: this.config.maxRowsPerSheet };
    return addRows(tx, sheet, adding, { count: rows.length, values: rows });
  }

  /** Writes other values into rows: their computed cells become stale. */
  async rewrite(
    tx: EntityManager,
    { sheet, columns }: FedSheet,
    rows: { rowIndex: number; values: JsonObject }[],
  ): Promise<void> {
    const edits = rows.flatMap(({ rowIndex, values }) =>
      Object.entries(values).map(([column, value]) => ({ cell: { rowIndex, column }, edit: { value } })),
    );
    if (edits.length > 0) await editCells(tx, sheet, { columns, createdBy: null }, edits);
  }

  /**
   * Queues the stale computed cells of rows, and with `failed` the failed ones, too. Call `notify` after the commit.
   */
  async compute(
    tx: EntityManager,
    { sheet, columns }: FedSheet,
    { rows, failed, into, maxCost }: { rows: RowSet; failed: boolean; into: string | null; maxCost: number | null },
  ): Promise<QueuedCells | null> {
    const computed = computedOf(columns);
    const states = await this.states(tx, sheet, computed, rows);
    const chosen = (key: string) => (failed ? states.stale(key).union(states.failed(key)) : states.stale(key));
    const cells: Selection = new Map(computed.map((column) => [column, chosen(column.key).intersect(rows)]));
    return queueCells(tx, sheet, columns, { cells, into, maxCost });
  }

  notify(queued: QueuedCells | null): void {
    if (queued) this.notifier.notify(queued);
  }

  async computed(tx: EntityManager, { sheet, columns }: FedSheet, rows: RowSet): Promise<ComputedRows> {
    const computed = computedOf(columns);
    const states = await this.states(tx, sheet, computed, rows);
    const pending = pendingRows(await readPending(tx, sheet));
    const busy = computed.map(({ key }) => pending.get(key) ?? RowSet.EMPTY);
    const waiting = RowSet.union(busy).intersect(rows);
    const failed = RowSet.union(computed.map(({ key }) => states.failed(key))).intersect(rows);
    return { waiting, failed: failed.without(waiting) };
  }

  /** The values of some columns in some rows. Cells without a value are missing. */
  async values(
    tx: EntityManager,
    { sheet, columns }: FedSheet,
    { columnIds, rows }: { columnIds: string[]; rows: number[] },
  ): Promise<ComputedValue[]> {
    const wanted = columnIds.flatMap((id) => columns.find(id) ?? []);
    const columnKeys = wanted.map(({ key }) => key);
    const ids = new Map(wanted.map(({ key, id }) => [key, id]));
    const cells = await readCellsOfRows(tx, { workspaceId: sheet.workspaceId, columnKeys, rows });
    return cells.map((cell) => ({
      rowIndex: cell.rowIndex,
      columnId: ids.get(cell.columnKey)!,
      version: cell.version,
      value: valueOf(cell),
    }));
  }

  /** The rows in which a cell of some columns has changed in a version or after it. */
  async changed(
    tx: EntityManager,
    { sheet, columns }: FedSheet,
    { columnIds, since }: { columnIds: string[]; since: number },
  ): Promise<number[]> {
    const keys = columnIds.flatMap((id) => columns.find(id)?.key ?? []);
    if (keys.length === 0) return [];
    const rows = await tx.query<{ row: number }[]>(
      `SELECT DISTINCT row_index AS row FROM cells
        WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND version >= $3::int ORDER BY row_index`,
      [sheet.workspaceId, int8Array(keys.map(Number)), since],
    );
    return rows.map(({ row }) => row);
  }

  /** Deletes rows with their history, and versions before `firstVersion` that nobody named or scored. */
  forget(tx: EntityManager, { sheet, columns }: FedSheet, rows: RowSet, firstVersion: number): Promise<void> {
    return forgetRows(tx, sheet, columns, { rows, firstVersion });
  }

  private states(tx: EntityManager, { workspaceId }: TableSheet, computed: SheetColumn[], rows: RowSet) {
    const keys = computed.map(({ key }) => key);
    return ChunkStates.read(tx, workspaceId, keys, rows.isEmpty ? { from: 0, to: 0 } : rangeOf(rows));
  }
}

/** Scorecards are calculated only on request. */
const computedOf = (columns: SheetColumns): SheetColumn[] =>
  columns.ofSheet.filter((column) => columns.isComputed(column));
