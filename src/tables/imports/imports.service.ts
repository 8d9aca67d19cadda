import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { getTable, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import {
  findStarted,
  ImportErrors,
  ImportOperation,
  ImportStarter,
  isScaffold,
  matchColumns,
  openFile,
  type RequestLogImport,
  type SentFile,
  startImport,
} from '../../imports/index.js';
import { importLimit } from '../../grid/settings/read-settings.js';

@Injectable()
export class ImportsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly starter: ImportStarter,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Starts an import of request logs. The same `operation_id` for the same sheet returns the existing operation. */
  async startRequestLogs(
    caller: Caller,
    path: SheetPath,
    { id = null, request }: { id?: string | null; request: RequestLogImport },
  ): Promise<ImportOperation> {
    const operation = await this.db.transaction(async (tx) => {
      // The lock makes a second start with the same id see the first one.
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const existing = id === null ? null : await findStarted(tx, sheet, id);
      return existing ?? startImport(tx, caller, sheet, { id: id ?? randomUUID(), source: 'request_logs', request });
    });
    this.starter.notify(operation);
    return operation;
  }

  /**
   * Starts an import of a CSV. A short one has ended when this returns, but the operation is returned as it was at the
   * start.
   */
  async startFile(
    caller: Caller,
    path: SheetPath,
    { id = null, file: sent }: { id?: string | null; file: SentFile },
  ): Promise<ImportOperation> {
    const maxBytes = await importLimit(this.db.manager, caller.workspaceId, this.config.importMaxBytes);
    const file = await openFile(sent, { maxBytes, extensions: ['.csv'] });
    const operation = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const existing = id === null ? null : await findStarted(tx, sheet, id);
      if (existing) return existing;
      const columns = await SheetColumns.read(tx, this.types, sheet);
      if (!(await isScaffold(tx, sheet, columns))) matchColumns(columns, file.titles);
      const { request } = file;
      return startImport(tx, caller, sheet, { id: id ?? randomUUID(), source: 'file', request, file });
    });
    await this.starter.begin(operation, file.mostRows);
    return operation;
  }

  /**
   * Requests that an import ends without rows. It has failed once its written rows are deleted; one that has ended
   * stays as it is. Throws import_operation_not_found.
   */
  async cancel(caller: Caller, tableId: string, id: string): Promise<ImportOperation> {
    const { workspaceId, sheetId } = await this.get(caller, tableId, id);
    await this.db.transaction(async (tx) => {
      const [, cancelled] = await tx.query<[unknown[], number]>(
        `UPDATE import_operations SET cancelled_at = now(), updated_at = now()
          WHERE workspace_id = $1 AND id = $2 AND status IN ('queued', 'running') AND cancelled_at IS NULL`,
        [workspaceId, id],
      );
      const details = { sheet_id: sheetId };
      if (cancelled > 0) await audit(tx, caller, { action: 'import.cancel', entityId: id, details });
    });
    const operation = await this.get(caller, tableId, id);
    this.starter.notify(operation);
    return operation;
  }

  async get(caller: Caller, tableId: string, id: string): Promise<ImportOperation> {
    const { workspaceId } = caller;
    const table = await getTable(this.db.manager, workspaceId, tableId);
    const operation = await this.db.manager.findOneBy(ImportOperation, { workspaceId, tableId: table.id, id });
    if (!operation) throw ImportErrors.import_operation_not_found(id);
    return operation;
  }
}
