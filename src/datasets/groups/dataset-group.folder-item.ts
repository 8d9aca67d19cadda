import type { EntityManager } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import { releaseExternalIds } from '../../external-ids/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { OwnedSheets } from '../../tables/index.js';
import { EXTERNAL_ID_TYPE } from '../shared/dataset.entity.js';

const VERSIONS = `SELECT FROM dataset_versions v
  WHERE v.workspace_id = $1 AND v.group_id = e.id AND v.deleted_at IS NULL`;

const LATEST = `(SELECT max(v.number) FROM dataset_versions v
  WHERE v.workspace_id = $1 AND v.group_id = e.id AND v.deleted_at IS NULL)`;

/** Groups of datasets are in folders. Deleted ones keep their rows, which evaluation runs have copied anyway. */
@FolderItem({
  name: 'DATASET',
  table: 'dataset_groups',
  idType: 'integer',
  nameSql: 'e.name',
  metadataSql: `jsonb_build_object('isDraft', NOT EXISTS (${VERSIONS} AND v.state = 'published'),
    'latest_version_number', ${LATEST})`,
  externalIdType: EXTERNAL_ID_TYPE,
  editPermission: 'DATASET_EDIT',
  deletePermission: 'DATASET_DELETE',
})
export class DatasetGroupFolderItem implements FolderItemKind {
  constructor(private readonly sheets: OwnedSheets) {}

  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    const { workspaceId } = caller;
    const [groups] = await tx.query<[{ id: number; name: string }[], number]>(
      `UPDATE dataset_groups SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::int[]) AND deleted_at IS NULL
       RETURNING id, name`,
      [workspaceId, ids],
    );
    await this.deleteSheets(tx, workspaceId, ids);
    await tx.query(
      `UPDATE dataset_versions SET deleted_at = now()
        WHERE workspace_id = $1 AND group_id = ANY ($2::int[]) AND deleted_at IS NULL`,
      [workspaceId, ids],
    );
    await releaseExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
    const deeds = groups.map(({ id, name }) => ({ action: 'dataset.delete', entityId: id, details: { name } }));
    await auditAll(tx, caller, deeds);
  }

  /** One order of locks prevents deadlocks between deletions. */
  private async deleteSheets(tx: EntityManager, workspaceId: number, groupIds: string[]): Promise<void> {
    const versions = await tx.query<{ sheetId: string }[]>(
      `SELECT sheet_id AS "sheetId" FROM dataset_versions
        WHERE workspace_id = $1 AND group_id = ANY ($2::int[]) AND deleted_at IS NULL ORDER BY sheet_id`,
      [workspaceId, groupIds],
    );
    for (const { sheetId } of versions) {
      const sheet = await this.sheets.lock(tx, workspaceId, sheetId);
      if (sheet) await this.sheets.delete(tx, sheet, 'The dataset was deleted.');
    }
  }
}
