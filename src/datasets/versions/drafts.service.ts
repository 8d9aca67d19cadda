import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { lockUntilCommit } from '../../platform/database/advisory-lock.js';
import type { JsonObject } from '../../platform/json.js';
import { LogRows, toDatasetImport } from '../../imports/index.js';
import { OwnedSheets } from '../../tables/index.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import { type DatasetGroup, DatasetVersion } from '../shared/dataset.entity.js';
import { createVersion } from './create-version.js';
import {
  copyPromptLinks,
  findDraft,
  findLatest,
  holdGroupToEdit,
  linkPrompts,
  lockDraft,
  publishVersion,
} from './version.queries.js';

/** A draft, and its callback for after the commit. */
interface StartedDraft {
  draft: DatasetVersion;
  begin: (() => Promise<void>) | null;
}

/** A draft whose sheet is locked. */
export interface OpenDraft {
  draft: DatasetVersion;
  sheet: Sheet;
}

/** Drafts of datasets: people add rows to them and save them as versions. */
@Injectable()
export class DraftsService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: OwnedSheets,
    private readonly logRows: LogRows,
  ) {}

  /** Creates a draft, empty or with the rows of a saved version of the same group, which are copied in the background. */
  async create(
    caller: Caller,
    groupId: number,
    sourceId: number | null,
  ): Promise<{ draft: DatasetVersion; isCopying: boolean }> {
    const { draft, begin } = await this.db.transaction(async (tx) => {
      const group = await holdGroupToEdit(tx, caller, groupId);
      const source = sourceId === null ? null : await findSource(tx, group, sourceId);
      await this.takeTurns(tx, group);
      return this.start(tx, caller, group, source);
    });
    await begin?.();
    return { draft, isCopying: begin !== null };
  }

  /** Adds a row with everything that is known about a call. */
  addRequestLog(caller: Caller, groupId: number, logId: number): Promise<DatasetVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const group = await holdGroupToEdit(tx, caller, groupId);
      const { draft, sheet } = await this.open(tx, group);
      const request = toDatasetImport({ request_log_ids: [logId] });
      const rows = await this.logRows.read(tx, workspaceId, request);
      if (rows.length === 0) throw DatasetErrors.dataset_log_not_found(logId);
      await this.addRows(tx, caller, { draft, sheet }, rows);
      await linkPrompts(tx, draft, [logId]);
      return draft;
    });
  }

  /** Adds a row to the draft. If there is none, one is created with the rows of the newest version. */
  async addToAnyDraft(caller: Caller, groupId: number, row: JsonObject): Promise<DatasetVersion> {
    const { draft, begin } = await this.db.transaction(async (tx) => {
      const group = await holdGroupToEdit(tx, caller, groupId);
      await this.takeTurns(tx, group);
      const known = await findDraft(tx, group);
      const started: StartedDraft = known
        ? { draft: known, begin: null }
        : await this.start(tx, caller, group, await findLatest(tx, group));
      await this.addRows(tx, caller, await this.open(tx, group), [row]);
      return started;
    });
    await begin?.();
    return draft;
  }

  /**
   * Saves the draft as a version. If rows are still being copied into it, that happens when the copy has ended. The group has no
   * draft afterwards.
   */
  save(caller: Caller, groupId: number): Promise<DatasetVersion> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      const { draft, sheet } = await this.open(tx, await holdGroupToEdit(tx, caller, groupId));
      const isImporting = await this.sheets.isImporting(tx, sheet);
      if (isImporting) await tx.update(DatasetVersion, { workspaceId, id: draft.id }, { state: 'saving' });
      else await publishVersion(tx, draft);
      await audit(tx, caller, { action: 'dataset.save_draft', entityId: draft.id, details: { group_id: groupId } });
      return draft;
    });
  }

  /** The draft of a group with its sheet, both locked. Throws dataset_draft_not_found, also when it was taken meanwhile. */
  async open(tx: EntityManager, group: DatasetGroup): Promise<OpenDraft> {
    const found = await this.find(tx, group);
    if (!found) throw DatasetErrors.dataset_draft_not_found(group.id);
    return found;
  }

  /** The same; null if there is none. */
  async find(tx: EntityManager, group: DatasetGroup): Promise<OpenDraft | null> {
    const found = await findDraft(tx, group);
    const sheet = found && (await this.sheets.lock(tx, group.workspaceId, found.sheetId));
    const draft = sheet && (await lockDraft(tx, found));
    return draft && { draft, sheet };
  }

  /** Serializes the creation of drafts, so that a concurrent draft is visible. */
  private takeTurns(tx: EntityManager, { workspaceId, id }: DatasetGroup): Promise<void> {
    return lockUntilCommit(tx, 'dataset-drafts', workspaceId, id);
  }

  private async start(
    tx: EntityManager,
    caller: Caller,
    group: DatasetGroup,
    source: DatasetVersion | null,
  ): Promise<StartedDraft> {
    const { version: draft, sheet } = await createVersion(tx, this.sheets, caller, { group, state: 'draft' });
    if (!source) return { draft, begin: null };
    await copyPromptLinks(tx, source, draft);
    const operation = await this.sheets.copyRows(tx, caller, sheet, source.sheetId);
    return { draft, begin: () => this.sheets.begin(operation, operation.rowCount) };
  }

  private async addRows(
    tx: EntityManager,
    caller: Caller,
    { draft, sheet }: OpenDraft,
    rows: JsonObject[],
  ): Promise<void> {
    await this.sheets.append(tx, sheet, { rows, createdBy: caller.keyName });
    const { workspaceId, id } = draft;
    await tx.update(DatasetVersion, { workspaceId, id }, { updatedAt: new Date() });
  }
}

/** Throws dataset_source_not_found. */
async function findSource(tx: EntityManager, group: DatasetGroup, id: number): Promise<DatasetVersion> {
  const { workspaceId } = group;
  const source = await tx.findOneBy(DatasetVersion, { workspaceId, id, groupId: group.id, state: 'published' });
  if (!source || source.deletedAt) throw DatasetErrors.dataset_source_not_found(id, group.id);
  return source;
}
