import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { uniqueViolation } from '../../platform/database/failures.js';
import { checkSelection } from '../../requests/index.js';
import { getTable, lockSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { ImportOperation } from './import-operation.entity.js';
import { ImportBell } from './import.processor.js';
import { ImportErrors } from './imports.errors.js';
import { type ImportRequestLogsRequest, MAX_IMPORTED_LOGS } from './imports.dto.js';
import { isRequestLogField, REQUEST_LOG_FIELDS } from './request-log-fields.js';
import type { RequestLogImport } from './request-logs.importer.js';

@Injectable()
export class ImportsService {
  constructor(
    private readonly db: DataSource,
    private readonly bell: ImportBell,
  ) {}

  /** Starts an import of request logs. The same `operation_id` for the same sheet gives the operation that exists. */
  async startRequestLogs(caller: Caller, path: SheetPath, body: ImportRequestLogsRequest): Promise<ImportOperation> {
    const request = toRequest(body);
    checkSelection(request.selection);
    const { workspaceId, tableId, sheetId } = addressOf(caller, path);
    const id = body.operation_id ?? randomUUID();
    const operation = await this.db.transaction(async (tx) => {
      // The lock makes a second start with the same id see the first one.
      await lockSheet(tx, { workspaceId, tableId, sheetId });
      const existing = await tx.findOneBy(ImportOperation, { workspaceId, id });
      if (existing) return reuse(existing, { tableId, sheetId });
      await insert(tx, {
        workspaceId,
        id,
        tableId,
        sheetId,
        source: 'request_logs',
        status: 'queued',
        request: request as object,
      });
      return tx.findOneByOrFail(ImportOperation, { workspaceId, id });
    });
    this.bell.ring(operation);
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

function reuse(operation: ImportOperation, target: { tableId: string; sheetId: string }): ImportOperation {
  const same = operation.tableId === target.tableId && operation.sheetId === target.sheetId;
  if (!same) throw ImportErrors.import_operation_id_taken(operation.id);
  return operation;
}

/** The database decides between two imports that start at the same moment. */
async function insert(tx: EntityManager, operation: Parameters<typeof tx.insert<ImportOperation>>[1]): Promise<void> {
  try {
    await tx.insert(ImportOperation, operation);
  } catch (error) {
    if (uniqueViolation(error) === null) throw error;
    throw ImportErrors.import_running();
  }
}

function toRequest(body: ImportRequestLogsRequest): RequestLogImport {
  const { request_log_ids: ids, filter_group: filterGroup, q, sort_by: by, sort_order: order } = body;
  if (!ids && !filterGroup) throw ImportErrors.import_selection_missing();
  if (!by !== !order) throw ImportErrors.import_sort_incomplete();
  const fields = body.include_fields ?? [];
  const unknown = fields.find((name) => !isRequestLogField(name));
  if (unknown !== undefined) throw ImportErrors.import_field_unknown(unknown, REQUEST_LOG_FIELDS);
  const sort = by && order ? { by, order } : null;
  return {
    selection: { ids: ids ?? null, filterGroup, q: q ?? null, sort, limit: body.limit ?? MAX_IMPORTED_LOGS },
    variables: body.variables_to_parse ?? [],
    fields,
  };
}
