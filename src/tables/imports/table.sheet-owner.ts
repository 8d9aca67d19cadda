import type { EntityManager } from 'typeorm';
import { defineEvent, emit } from '../../events/index.js';
import { LiveUpdates } from '../../live/index.js';
import {
  type AfterCommit,
  type EndedImport,
  type ImportedRows,
  OwnsSheets,
  type SheetExecution,
  type SheetOwnerPlugin,
} from '../grid/sheet-owners.js';
import { topicOf } from '../operations/sheet.live-channel.js';
import { starterOf } from './starter.js';

interface ImportDetails {
  operation_id: string;
  table_id: string;
  sheet_id: string;
  source: string;
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

/**
 * Announces the imports into sheets of tables, and the progress of executions to whoever follows a sheet. Copies of other sheets
 * are not announced: clients know no event for them.
 */
@OwnsSheets('table')
export class TableSheetOwner implements SheetOwnerPlugin {
  constructor(private readonly live: LiveUpdates) {}

  async importCompleted(tx: EntityManager, ended: EndedImport, rows: ImportedRows): Promise<void> {
    const event = eventsOf(ended)?.completed;
    const details = { ...detailsOf(ended), rows_added: rows.rowsAdded, row_count: rows.rowCount };
    if (event) await emit(tx, starterOf(ended), event(details));
  }

  async importFailed(tx: EntityManager, ended: EndedImport, message: string): Promise<void> {
    const event = eventsOf(ended)?.failed;
    if (event) await emit(tx, starterOf(ended), event({ ...detailsOf(ended), error_message: message }));
  }

  executionAdvanced(_tx: EntityManager, execution: SheetExecution): Promise<AfterCommit> {
    return Promise.resolve(() => this.live.announce(topicOf(execution), execution.executionId));
  }

  executionEnded(tx: EntityManager, execution: SheetExecution): Promise<AfterCommit> {
    return this.executionAdvanced(tx, execution);
  }
}

function eventsOf({ source }: EndedImport): (typeof EVENTS)['file'] | undefined {
  return (EVENTS as Record<string, (typeof EVENTS)['file']>)[source];
}

function detailsOf({ id, tableId, sheetId, source, fileName }: EndedImport): ImportDetails {
  const details = { operation_id: id, table_id: tableId!, sheet_id: sheetId, source };
  return source === 'file' ? { ...details, file_name: fileName } : details;
}
