import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { insertSheet, lockTable } from '../sheets/insert-sheet.js';
import { getTable } from '../sheets/lock-sheet.js';
import { insertTable } from '../tables/insert-table.js';
import type { Table } from '../shared/table.entity.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { CopiedResults } from './sheet.importer.js';
import { OwnedColumns } from './owned-columns.js';
import { OwnedSheets } from './owned-sheets.js';

export interface CopyTarget {
  /** null for a new table. */
  tableId: string | null;
  title: string;
}

export interface CopiedSheet {
  tableId: string;
  sheetId: string;
  /** The import of the rows. */
  operationId: string;
}

/** Computed columns and scores to copy besides texts. */
export interface ComputedPart {
  /** Computed columns of the source. */
  columnIds: string[];
  /** Score of the copy, by columns of the source. */
  score: CopiedResults['score'];
}

/** Copies sheets of other owners into tables. */
@Injectable()
export class SheetCopies {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
  ) {}

  /** Throws table_not_found and permission_missing. Callers use it to report their own errors after these. */
  async checkTarget(caller: Caller, tableId: string | null): Promise<void> {
    if (tableId !== null) await getTable(this.db.manager, caller.workspaceId, tableId.toLowerCase());
    demandTarget(caller, tableId);
  }

  /**
   * Copies the text columns and the rows of a sheet, which must not change any more, into a new sheet of a table, and
   * on request their computed results. Throws table_not_found, row_limit_exceeded, and permission_missing for callers
   * who may not create or edit tables.
   */
  async toTable(caller: Caller, sourceId: string, target: CopyTarget, computed?: ComputedPart): Promise<CopiedSheet> {
    const { table, sheetId, operation } = await this.db.transaction(async (tx) => {
      const found = await this.findTable(tx, caller, target);
      const place = { tableId: found.id, title: target.title };
      const sheet = await insertSheet(tx, caller.workspaceId, place);
      const results = computed && (await this.addComputed(tx, caller, { sourceId, sheet }, computed));
      const operation = await this.sheets.copyRows(tx, caller, sheet, { sheetId: sourceId, results });
      return { table: found, sheetId: sheet.id, operation };
    });
    await this.sheets.begin(operation, operation.rowCount);
    return { tableId: table.id, sheetId, operationId: operation.id };
  }

  /** Adds the computed columns of the source to a new sheet, so that results can be copied into them. */
  private async addComputed(
    tx: EntityManager,
    { keyName, workspaceId }: Caller,
    { sourceId, sheet }: { sourceId: string; sheet: Sheet },
    { columnIds, score }: ComputedPart,
  ): Promise<CopiedResults> {
    const from = { workspaceId, id: sourceId };
    const { inputs, shown } = await this.readSource(tx, from);
    await this.sheets.addTextColumns(tx, sheet, inputs);
    const ids = await this.columns.copy(tx, { from, to: sheet }, columnIds, keyName);
    const columns = shown.filter((id) => columnIds.includes(id)).map((id): [string, string] => [id, ids.get(id)!]);
    const scored = score?.config.column_ids?.flatMap((id) => ids.get(id) ?? []);
    return {
      columns,
      score: score && { ...score, config: { ...score.config, ...(scored && { column_ids: scored }) } },
    };
  }

  private async readSource(tx: EntityManager, from: { workspaceId: number; id: string }) {
    const columns = await this.columns.read(tx, from);
    return { inputs: columns.inputs.map(({ title }) => title), shown: columns.ofSheet.map(({ id }) => id) };
  }

  private async findTable(tx: EntityManager, caller: Caller, { tableId, title }: CopyTarget): Promise<Table> {
    const table = tableId === null ? null : await lockTable(tx, caller.workspaceId, tableId.toLowerCase());
    demandTarget(caller, tableId);
    return table ?? insertTable(tx, caller, { title, folderId: null });
  }
}

function demandTarget(caller: Caller, tableId: string | null): void {
  demand(caller, tableId === null ? 'TABLE_CREATE' : 'TABLE_EDIT');
}
