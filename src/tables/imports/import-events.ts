import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { defineEvent, emit } from '../../events/index.js';
import type { ImportOperation, ImportSource } from './import-operation.entity.js';

/** Who started an import; kept with it, because it ends in another process. */
export type Starter = Pick<Caller, 'keyId' | 'keyName' | 'requestId'>;

interface ImportDetails {
  operation_id: string;
  table_id: string;
  sheet_id: string;
  source: ImportSource;
  file_name?: string | null;
}
type Success = ImportDetails & { rows_added: number; row_count: number };
type Failure = ImportDetails & { error_message: string };

const EVENTS = {
  file: {
    completed: defineEvent<Success>('table_sheet_created_from_file', 'A file was imported into a sheet.'),
    failed: defineEvent<Failure>('table_sheet_created_from_file_failed', 'The import of a file failed.'),
  },
  request_logs: {
    completed: defineEvent<Success>(
      'table_sheet_created_from_request_history',
      'Request logs were imported into a sheet.',
    ),
    failed: defineEvent<Failure>(
      'table_sheet_created_from_request_history_failed',
      'The import of request logs failed.',
    ),
  },
};

export function emitCompleted(
  tx: EntityManager,
  operation: ImportOperation,
  { rowsAdded, rowCount }: { rowsAdded: number; rowCount: number },
): Promise<void> {
  const event = EVENTS[operation.source].completed;
  return emit(tx, starterOf(operation), event({ ...detailsOf(operation), rows_added: rowsAdded, row_count: rowCount }));
}

export function emitFailed(tx: EntityManager, operation: ImportOperation, errorMessage: string): Promise<void> {
  const event = EVENTS[operation.source].failed;
  return emit(tx, starterOf(operation), event({ ...detailsOf(operation), error_message: errorMessage }));
}

export function starterOf({ workspaceId, id, request }: ImportOperation): Starter & { workspaceId: number } {
  // Imports that were started before the starter was kept name their operation instead.
  const starter = (request.by ?? { keyId: null, keyName: null, requestId: id }) as unknown as Starter;
  return { workspaceId, ...starter };
}

function detailsOf({ id, tableId, sheetId, source, fileName }: ImportOperation): ImportDetails {
  const details = { operation_id: id, table_id: tableId, sheet_id: sheetId, source };
  return source === 'file' ? { ...details, file_name: fileName } : details;
}
