import type { OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { defineEvent, emit } from '../../events/index.js';
import { LiveUpdates, WorkspaceChanges } from '../../live/index.js';
import {
  type AfterCommit,
  type EndedExecution,
  type EndedImport,
  type ImportedRows,
  OwnsSheets,
  type SheetExecution,
  type SheetOwnerPlugin,
} from '../../grid/shared/sheet-owners.js';
import { afterNewVersion } from '../../grid/shared/new-versions.js';
import { topicOf } from '../operations/sheet.live-channel.js';
import { starterOf } from '../../imports/index.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';

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
 * Announces imports into sheets of tables, and reports the progress of executions to followers of a sheet and to
 * scorecards. Copies of other sheets are not announced: clients know no event for them.
 */
@OwnsSheets('table')
export class TableSheetOwner implements SheetOwnerPlugin, OnModuleInit {
  constructor(
    private readonly live: LiveUpdates,
    private readonly changes: WorkspaceChanges,
    private readonly db: DataSource,
    @InjectNotifier('scorecards') private readonly scorecards: WorkNotifier,
  ) {}

  onModuleInit(): void {
    afterNewVersion(this.db, ({ workspaceId, sheetId: id, version }) =>
      this.changes.change(workspaceId, { kind: 'sheet', id, version }),
    );
  }

  async importCompleted(tx: EntityManager, ended: EndedImport, rows: ImportedRows): Promise<AfterCommit> {
    const event = eventsOf(ended)?.completed;
    const details = { ...detailsOf(ended), rows_added: rows.rowsAdded, row_count: rows.rowCount };
    if (event) await emit(tx, starterOf(ended), event(details));
    return this.ended(ended);
  }

  async importFailed(tx: EntityManager, ended: EndedImport, message: string): Promise<AfterCommit> {
    const event = eventsOf(ended)?.failed;
    if (event) await emit(tx, starterOf(ended), event({ ...detailsOf(ended), error_message: message }));
    return this.ended(ended);
  }

  executionAdvanced(_tx: EntityManager, execution: SheetExecution): Promise<AfterCommit> {
    const { workspaceId, sheetId } = execution;
    return Promise.resolve(() => {
      this.live.announce(topicOf(execution), execution.executionId);
      this.changes.change(workspaceId, { kind: 'sheet', id: sheetId });
    });
  }

  async executionEnded(tx: EntityManager, execution: EndedExecution): Promise<AfterCommit> {
    const announce = await this.executionAdvanced(tx, execution);
    const end = this.ended({ workspaceId: execution.workspaceId, id: execution.executionId });
    return () => {
      announce!();
      end();
      if (execution.isOfScorecard) this.scorecards.notify();
    };
  }

  /** Notifies followers of the workspace that an operation has ended. */
  private ended({ workspaceId, id }: { workspaceId: number; id: string }): () => void {
    return () => this.changes.change(workspaceId, { kind: 'operation', id });
  }
}

function eventsOf({ source }: EndedImport): (typeof EVENTS)['file'] | undefined {
  return (EVENTS as Record<string, (typeof EVENTS)['file']>)[source];
}

function detailsOf({ id, tableId, sheetId, source, fileName }: EndedImport): ImportDetails {
  const details = { operation_id: id, table_id: tableId!, sheet_id: sheetId, source };
  return source === 'file' ? { ...details, file_name: fileName } : details;
}
