import type { EntityManager } from 'typeorm';
import { auditAll } from '../../access/index.js';
import { emit } from '../../events/index.js';
import type { JsonObject } from '../../platform/json.js';
import {
  type AfterCommit,
  type EndedImport,
  type ImportedRows,
  OwnsSheets,
  type SheetOwnerPlugin,
} from '../../grid/shared/sheet-owners.js';
import { OwnedSheets } from '../../tables/index.js';
import { starterOf } from '../../imports/index.js';
import { DatasetEvents } from '../shared/dataset-events.js';
import { DatasetUsers } from '../shared/dataset-users.js';
import { DatasetVersion } from '../shared/dataset.entity.js';
import { linkPrompts, publishVersion, removeVersion } from './version.queries.js';

/** Publishes versions of datasets when their imports have ended, and removes failed ones. */
@OwnsSheets('dataset_version')
export class DatasetVersionSheetOwner implements SheetOwnerPlugin {
  constructor(
    private readonly sheets: OwnedSheets,
    private readonly users: DatasetUsers,
  ) {}

  async importCompleted(tx: EntityManager, ended: EndedImport, rows: ImportedRows): Promise<AfterCommit> {
    const version = await lockVersion(tx, ended);
    // A draft stays a draft after rows were copied into it.
    if (!version || version.state === 'draft') return;
    if (version.nextImport) return this.importNext(tx, ended, version);
    const { ids } = rows.origin as { ids?: number[] };
    if (ended.source === 'request_logs' && ids) await linkPrompts(tx, version, ids);
    const number = await publishVersion(tx, version);
    await announce(tx, ended, { version, number, rowsAdded: rows.rowsAdded });
    return this.users.tell((user) => user.versionPublished?.(tx, { ...version, number }));
  }

  async importFailed(tx: EntityManager, ended: EndedImport, message: string): Promise<AfterCommit> {
    const version = await lockVersion(tx, ended);
    // A version that was shown before its group was deleted stays listed as deleted.
    if (!version || (version.deletedAt && version.state !== 'hidden')) return;
    const sheet = await this.sheets.lock(tx, ended.workspaceId, ended.sheetId);
    if (sheet) await this.sheets.delete(tx, sheet, message);
    await removeVersion(tx, version);
    const details = { dataset_id: version.id, error_message: message };
    if (ended.source === 'file') await emit(tx, starterOf(ended), DatasetEvents.fileFailed(details));
    return this.users.tell((user) => user.versionFailed?.(tx, version, message));
  }

  /** Starts the import that was requested while rows were being copied. */
  private async importNext(tx: EntityManager, ended: EndedImport, version: DatasetVersion): Promise<AfterCommit> {
    const { workspaceId, id, nextImport } = version;
    const sheet = await this.sheets.lock(tx, workspaceId, ended.sheetId);
    const next = { source: 'request_logs' as const, request: nextImport as JsonObject };
    const operation = await this.sheets.import(tx, starterOf(ended), sheet!, next);
    await tx.update(DatasetVersion, { workspaceId, id }, { nextImport: null });
    return () => this.sheets.notify(operation);
  }
}

/** Includes versions of a group that is being deleted, whose files still get an answer. */
function lockVersion(tx: EntityManager, { workspaceId, sheetId }: EndedImport): Promise<DatasetVersion | null> {
  return tx.findOne(DatasetVersion, { where: { workspaceId, sheetId }, lock: { mode: 'for_no_key_update' } });
}

interface Published {
  version: DatasetVersion;
  number: number;
  rowsAdded: number;
}

async function announce(tx: EntityManager, ended: EndedImport, { version, number, rowsAdded }: Published) {
  const { id, groupId } = version;
  const starter = starterOf(ended);
  const details = { dataset_id: id, dataset_version_number: number };
  if (ended.source === 'file') await emit(tx, starter, DatasetEvents.createdByFile(details));
  if (ended.source === 'request_logs') {
    await emit(tx, starter, DatasetEvents.createdFromFilterParams({ ...details, rows_added: rowsAdded }));
  }
  const told = { group_id: groupId, version_number: number, rows_added: rowsAdded };
  await auditAll(tx, starter, [{ action: 'dataset.publish', entityId: id, details: told }]);
}
