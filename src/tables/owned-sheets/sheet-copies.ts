import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { insertSheet, lockTable } from '../sheets/insert-sheet.js';
import { insertTable } from '../tables/insert-table.js';
import type { Table } from '../tables/table.entity.js';
import { OwnedSheets } from './owned-sheets.js';

export interface CopyTarget {
  /** null for a new table. */
  tableId: string | null;
  title: string;
}

export interface CopiedSheet {
  tableId: string;
  sheetId: string;
  /** The import that brings the rows. */
  operationId: string;
}

/** Copies sheets of other owners into tables. */
@Injectable()
export class SheetCopies {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
  ) {}

  /**
   * Copies the text columns and the rows of a sheet, which must not change any more, into a new sheet of a table. Throws
   * table_not_found, row_limit_exceeded, and permission_missing for who may not create or edit tables.
   */
  async toTable(caller: Caller, sourceId: string, target: CopyTarget): Promise<CopiedSheet> {
    const { table, sheetId, operation } = await this.db.transaction(async (tx) => {
      const found = await this.findTable(tx, caller, target);
      const place = { tableId: found.id, title: target.title };
      const sheet = await insertSheet(tx, caller.workspaceId, place);
      return { table: found, sheetId: sheet.id, operation: await this.sheets.copyRows(tx, caller, sheet, sourceId) };
    });
    await this.sheets.begin(operation, operation.rowCount);
    return { tableId: table.id, sheetId, operationId: operation.id };
  }

  private async findTable(tx: EntityManager, caller: Caller, { tableId, title }: CopyTarget): Promise<Table> {
    if (tableId === null) {
      demand(caller, 'TABLE_CREATE');
      return insertTable(tx, caller, { title, folderId: null });
    }
    const table = await lockTable(tx, caller.workspaceId, tableId.toLowerCase());
    demand(caller, 'TABLE_EDIT');
    return table;
  }
}
