import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand } from '../../access/index.js';
import { emit } from '../../events/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import type { JsonObject } from '../../platform/json.js';
import { Problem } from '../../platform/errors/problem.js';
import {
  FILE_ERRORS,
  type ImportFile,
  openFile,
  REFUSED_FILES,
  type RequestLogImport,
  type SentFile,
} from '../../imports/index.js';
import { OwnedSheets } from '../../tables/index.js';
import { DatasetEvents } from '../shared/dataset-events.js';
import { type DatasetGroup, DatasetVersion } from '../shared/dataset.entity.js';
import { createVersion } from './create-version.js';
import { DraftsService, type OpenDraft } from './drafts.service.js';
import type { LogsForDataset } from './filter-params.js';
import { getGroup, holdGroup, holdGroupToEdit, removeVersion } from './version.queries.js';

/** Imports of up to this many named logs run before the answer. */
const FEW_LOGS = 50;

/** The import of a version; null while an earlier one has not ended. */
type Started = Awaited<ReturnType<OwnedSheets['import']>> | null;

/** Creates versions of datasets from files and from request logs. They are published when their imports have ended. */
@Injectable()
export class VersionImportsService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
    private readonly drafts: DraftsService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** A draft of the group is not changed. Errors inside the file are found by the job, which then fails. */
  async fromFile(caller: Caller, groupId: number, sent: SentFile): Promise<DatasetVersion> {
    const { workspaceId } = caller;
    // An unknown group is reported before errors of the file.
    await getGroup(this.db.manager, workspaceId, groupId);
    demand(caller, 'DATASET_EDIT');
    const file = await this.open(sent);
    if (file instanceof Problem) return this.failAtOnce(caller, groupId, file.message);
    const { version, operation } = await this.db.transaction(async (tx) => {
      const group = await holdGroup(tx, workspaceId, groupId);
      const created = await createVersion(tx, this.sheets, caller, { group, state: 'hidden' });
      const { request } = file;
      const started = await this.sheets.import(tx, caller, created.sheet, { source: 'file', request, file });
      return { version: created.version, operation: started };
    });
    await this.sheets.begin(operation, file.mostRows);
    return version;
  }

  /** Fills the draft of the group, or a new version if there is none. The group has no draft afterwards. */
  async fromLogs(caller: Caller, groupId: number, { request, filterParams }: LogsForDataset): Promise<DatasetVersion> {
    const { version, operation } = await this.db.transaction(async (tx) => {
      const group = await holdGroupToEdit(tx, caller, groupId);
      const open = await this.drafts.find(tx, group);
      return open
        ? this.fillDraft(tx, caller, open, { request, filterParams })
        : this.fillNew(tx, caller, group, { request, filterParams });
    });
    const named = request.selection.ids?.length ?? Infinity;
    if (operation) await this.sheets.begin(operation, named <= FEW_LOGS ? named : Infinity);
    return version;
  }

  private async fillDraft(tx: EntityManager, caller: Caller, { draft, sheet }: OpenDraft, logs: LogsForDataset) {
    const isBusy = await this.sheets.isImporting(tx, sheet);
    const operation: Started = isBusy ? null : await this.sheets.import(tx, caller, sheet, toImport(logs.request));
    const { workspaceId, id } = draft;
    await tx.update(
      DatasetVersion,
      { workspaceId, id },
      {
        state: 'saving',
        filterParams: logs.filterParams as object | null,
        nextImport: (isBusy ? logs.request : null) as object | null,
        updatedAt: new Date(),
      },
    );
    return { version: draft, operation };
  }

  private async fillNew(
    tx: EntityManager,
    caller: Caller,
    group: DatasetGroup,
    { request, filterParams }: LogsForDataset,
  ): Promise<{ version: DatasetVersion; operation: Started }> {
    const { version, sheet } = await createVersion(tx, this.sheets, caller, { group, state: 'saving', filterParams });
    return { version, operation: await this.sheets.import(tx, caller, sheet, toImport(request)) };
  }

  /** Returns a Problem for a file with which the job would fail; throws errors that clients can fix. */
  private async open(sent: SentFile): Promise<ImportFile | Problem> {
    try {
      const { importMaxBytes: maxBytes } = this.config;
      return await openFile(sent, { maxBytes, extensions: ['.csv', '.json'], padsShortRows: true });
    } catch (error) {
      const isAbout = (errors: { code: string }[]) => errors.some(({ code }) => (error as Problem).code === code);
      if (error instanceof Problem && isAbout(FILE_ERRORS) && !isAbout(REFUSED_FILES)) return error;
      throw error;
    }
  }

  private failAtOnce(caller: Caller, groupId: number, message: string): Promise<DatasetVersion> {
    return this.db.transaction(async (tx) => {
      const group = await holdGroup(tx, caller.workspaceId, groupId);
      const { version, sheet } = await createVersion(tx, this.sheets, caller, { group, state: 'hidden' });
      await this.sheets.delete(tx, sheet, message);
      await removeVersion(tx, version);
      await emit(tx, caller, DatasetEvents.fileFailed({ dataset_id: version.id, error_message: message }));
      return version;
    });
  }
}

function toImport(request: RequestLogImport): { source: 'request_logs'; request: JsonObject } {
  return { source: 'request_logs', request: request as JsonObject };
}
