import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { GridErrors } from '../../grid/grid.errors.js';
import { findLiveSheet, lockLiveSheet } from '../../grid/lock-sheet.js';
import { addRows } from '../../grid/rows/add-rows.js';
import { RowSet } from '../../grid/rows/row-set.js';
import type { SheetOwner } from '../../grid/sheet-owner.js';
import { Sheet } from '../../grid/sheet.entity.js';
import {
  checkColumnCount,
  ImportOperation,
  ImportStarter,
  insertTextColumns,
  type NewImport,
  prepareImport,
  type Starter,
  startImport,
} from '../../imports/index.js';
import { SheetImporter, type SheetImport } from './sheet.importer.js';
import { endWork } from '../sheets/end-work.js';

export interface NewOwnedSheet {
  workspaceId: number;
  owner: Exclude<SheetOwner, 'table'>;
  title: string;
  /** Titles of its text columns, which all differ. */
  titles?: string[];
}

/**
 * Sheets that belong to something other than a table: versions of datasets, runs. Their owner decides who may reach them
 * and gives every method the transaction; notify after its commit. Columns are in `OwnedColumns`, pages
 * of rows in `OwnedRows`, and `SheetOwnerPlugin` tells how imports and executions end.
 */
@Injectable()
export class OwnedSheets {
  constructor(
    private readonly types: ColumnTypes,
    private readonly copier: SheetImporter,
    private readonly starter: ImportStarter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A sheet without rows, as version 0. */
  async create(tx: EntityManager, { workspaceId, owner, title, titles = [] }: NewOwnedSheet): Promise<Sheet> {
    const id = randomUUID();
    await tx.insert(Sheet, { workspaceId, id, owner, tableId: null, title, index: 0, rows: RowSet.EMPTY });
    const sheet = await tx.findOneByOrFail(Sheet, { workspaceId, id });
    await insertTextColumns(tx, sheet, titles, { version: 0, hidden: false });
    return sheet;
  }

  /** Adds text columns at the end of a sheet without rows, as part of its present version. Their titles all differ. */
  async addTextColumns(tx: EntityManager, sheet: Sheet, titles: string[]): Promise<void> {
    checkColumnCount(titles.length);
    await insertTextColumns(tx, sheet, titles, { version: sheet.version, hidden: false });
  }

  /** A live sheet; null when it is gone. */
  find(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
    return findLiveSheet(tx, workspaceId, sheetId);
  }

  /** The same, locked until the end of the transaction. Everything below that takes a sheet wants a locked one. */
  lock(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
    return lockLiveSheet(tx, workspaceId, sheetId);
  }

  /**
   * Adds rows after the last one, as one version: title → value. Titles that the sheet does not have become text columns at its
   * end. Throws row_limit_exceeded, import_columns_exceeded, and what `addRows` throws for columns that are computed.
   */
  async append(
    tx: EntityManager,
    sheet: Sheet,
    { rows, createdBy }: { rows: JsonObject[]; createdBy: string | null },
  ): Promise<RowSet> {
    const known = (await SheetColumns.read(tx, this.types, sheet)).ofSheet;
    const titles = new Set(known.map(({ title }) => title));
    const missing = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((title) => !titles.has(title));
    checkColumnCount(known.length + missing.length);
    await insertTextColumns(tx, sheet, missing, { version: sheet.version + 1, hidden: false });
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const adding = { columns, createdBy, maxRows: this.config.maxRowsPerSheet };
    return addRows(tx, sheet, adding, { count: rows.length, values: rows.map(withoutBlanks) });
  }

  /** Whether an import into a locked sheet has not ended yet. */
  async isImporting(tx: EntityManager, { workspaceId, id: sheetId }: Sheet): Promise<boolean> {
    return tx.existsBy(ImportOperation, { workspaceId, sheetId, status: In(['queued', 'running']) });
  }

  /**
   * Puts an import into the sheet on record; after the commit call `begin`. Its owner is told when it ends. A sheet takes one
   * import at a time: throws import_running.
   */
  import(tx: EntityManager, starter: Starter, sheet: Sheet, given: Omit<NewImport, 'id'>): Promise<ImportOperation> {
    return startImport(tx, starter, sheet, { ...given, id: randomUUID() });
  }

  /**
   * Puts the copying of the rows of another sheet, or of the first of them, on record; that sheet must not change any more. The values of
   * its text columns go to the columns of the same titles, and missing ones are added. The rows have their places from now on, so that rows that
   * are appended meanwhile come after them. After the commit call `begin`. Throws row_limit_exceeded, import_running.
   */
  async copyRows(
    tx: EntityManager,
    starter: Starter,
    sheet: Sheet,
    source: string | SheetImport,
  ): Promise<ImportOperation & { rowCount: number }> {
    const given = typeof source === 'string' ? { sheetId: source } : source;
    const operation = await this.import(tx, starter, sheet, { source: 'sheet', request: { ...given } });
    const plan = await this.copier.plan(tx, operation);
    const { maxRowsPerSheet: maxRows } = this.config;
    // Whoever appends meanwhile has to find the columns of a new sheet.
    if (sheet.version === 0 && sheet.rows.isEmpty) {
      const known = (await SheetColumns.read(tx, this.types, sheet)).ofSheet.map(({ title }) => title);
      const missing = plan.titles.filter((title) => !known.includes(title));
      await insertTextColumns(tx, sheet, missing, { version: 0, hidden: false });
    }
    if (sheet.rows.count + plan.rowCount > maxRows) throw GridErrors.row_limit_exceeded(maxRows);
    const { firstRow } = await prepareImport(tx, { types: this.types, maxRows }, operation, plan);
    sheet.reservedRows = firstRow + plan.rowCount;
    return Object.assign(operation, { rowCount: plan.rowCount });
  }

  /** Carries a short import out at once, and tells workers of a longer one. Never fails: the import is on record. */
  begin(operation: ImportOperation, mostRows: number): Promise<void> {
    return this.starter.begin(operation, mostRows);
  }

  /** Tells workers of an import, without waiting. */
  notify(operation: ImportOperation): void {
    this.starter.notify(operation);
  }

  /** Hides the sheet and ends what is being computed in it and imported into it. `reason` is what imports say about it. */
  async delete(tx: EntityManager, sheet: Sheet, reason: string): Promise<void> {
    await endWork(tx, sheet, reason);
    await tx.update(Sheet, { workspaceId: sheet.workspaceId, id: sheet.id }, { deletedAt: new Date() });
  }
}

/** Nothing is stored for a blank cell. */
function withoutBlanks(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
