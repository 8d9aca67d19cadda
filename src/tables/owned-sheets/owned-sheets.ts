import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { findLiveSheet, lockLiveSheet } from '../../grid/shared/lock-sheet.js';
import { addRows } from '../../grid/rows/add-rows.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { SheetOwner } from '../../grid/shared/sheet-owner.js';
import { Sheet } from '../../grid/shared/sheet.entity.js';
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
  /** Titles of its text columns. They must be unique. */
  titles?: string[];
}

/**
 * Sheets that belong to something other than a table: versions of datasets, runs. The owner decides who has access, and
 * passes a transaction to every method; notify after its commit. `OwnedColumns` has the columns, `OwnedRows` has pages
 * of rows, and `SheetOwnerPlugin` gets the ends of imports and executions.
 */
@Injectable()
export class OwnedSheets {
  constructor(
    private readonly types: ColumnTypes,
    private readonly copier: SheetImporter,
    private readonly starter: ImportStarter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Creates a sheet without rows, as version 0. */
  async create(tx: EntityManager, { workspaceId, owner, title, titles = [] }: NewOwnedSheet): Promise<Sheet> {
    const id = randomUUID();
    await tx.insert(Sheet, { workspaceId, id, owner, tableId: null, title, index: 0, rows: RowSet.EMPTY });
    const sheet = await tx.findOneByOrFail(Sheet, { workspaceId, id });
    await insertTextColumns(tx, sheet, titles, { version: 0, hidden: false });
    return sheet;
  }

  /** Appends text columns to a sheet without rows, as part of its present version. Titles must be unique. */
  async addTextColumns(tx: EntityManager, sheet: Sheet, titles: string[]): Promise<void> {
    checkColumnCount(titles.length);
    await insertTextColumns(tx, sheet, titles, { version: sheet.version, hidden: false });
  }

  /** A live sheet; null when it was deleted. */
  find(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
    return findLiveSheet(tx, workspaceId, sheetId);
  }

  /** Does the same and locks the sheet until the end of the transaction. The methods below need a locked sheet. */
  lock(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Sheet | null> {
    return lockLiveSheet(tx, workspaceId, sheetId);
  }

  /**
   * Adds rows after the last one, as one version: title → value. Unknown titles become text columns at the end. Throws
   * row_limit_exceeded, import_columns_exceeded, and the errors of `addRows` for computed columns.
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
   * Stores an import into the sheet; call `begin` after the commit. The sheet's owner gets a report when it ends. A
   * sheet takes one import at a time: throws import_running.
   */
  import(tx: EntityManager, starter: Starter, sheet: Sheet, given: Omit<NewImport, 'id'>): Promise<ImportOperation> {
    return startImport(tx, starter, sheet, { ...given, id: randomUUID() });
  }

  /**
   * Stores an import that copies the rows of another sheet, or the first of them. The other sheet must not change any
   * more. Values of its text columns go to the columns with the same titles, and missing ones are added. The rows are
   * reserved now, so that rows that are appended meanwhile come after them. Call `begin` after the commit. Throws
   * row_limit_exceeded, import_running.
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
    // Callers that append rows meanwhile need the columns of a new sheet.
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

  /**
   * Carries out a short import at once, and notifies workers of a longer one. Never fails: the import is stored
   * already.
   */
  begin(operation: ImportOperation, mostRows: number): Promise<void> {
    return this.starter.begin(operation, mostRows);
  }

  /** Notifies workers of an import, without waiting. */
  notify(operation: ImportOperation): void {
    this.starter.notify(operation);
  }

  /** Deletes the sheet and ends its computations and imports. `reason` is the error message of these imports. */
  async delete(tx: EntityManager, sheet: Sheet, reason: string): Promise<void> {
    await endWork(tx, sheet, reason);
    await tx.update(Sheet, { workspaceId: sheet.workspaceId, id: sheet.id }, { deletedAt: new Date() });
  }
}

/** Blank cells are not stored. */
function withoutBlanks(row: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}
