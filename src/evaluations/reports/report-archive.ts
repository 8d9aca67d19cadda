import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import { releaseExternalIds } from '../../external-ids/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { OwnedSheets } from '../../tables/index.js';
import { EXTERNAL_ID_TYPE } from './report.entity.js';

/** Archives reports. Runs of an archived pipeline stay. */
@Injectable()
export class ReportArchive {
  constructor(private readonly sheets: OwnedSheets) {}

  /** Archives locked live reports, and ends their running computations. */
  async archive(tx: EntityManager, caller: Caller, ids: number[]): Promise<void> {
    const { workspaceId } = caller;
    const [archived] = await tx.query<[{ id: number; name: string; sheetId: string }[], number]>(
      `UPDATE reports SET deleted_at = now(), status = 'completed', claim = NULL WHERE workspace_id = $1 AND id = ANY ($2::int[]) AND deleted_at IS NULL
       RETURNING id, name, sheet_id AS "sheetId"`,
      [workspaceId, ids],
    );
    // In one order, or two deletions would deadlock.
    for (const { sheetId } of archived.toSorted((a, b) => (a.sheetId < b.sheetId ? -1 : 1))) {
      const sheet = await this.sheets.lock(tx, workspaceId, sheetId);
      if (sheet) await this.sheets.delete(tx, sheet, 'The report was archived.');
    }
    await releaseExternalIds(tx, workspaceId, EXTERNAL_ID_TYPE, ids);
    const deeds = archived.map(({ id, name }) => ({ action: 'report.delete', entityId: id, details: { name } }));
    await auditAll(tx, caller, deeds);
  }
}

/** Pipelines lie in folders; their runs are found with them. */
@FolderItem({
  name: 'REPORT',
  table: 'reports',
  idType: 'integer',
  nameSql: 'e.name',
  tagsSql: 'e.tags',
  whereSql: 'e.is_blueprint',
  externalIdType: EXTERNAL_ID_TYPE,
  editPermission: 'REPORT_EDIT',
  deletePermission: 'REPORT_DELETE',
})
export class ReportFolderItem implements FolderItemKind {
  constructor(private readonly reports: ReportArchive) {}

  delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    return this.reports.archive(tx, caller, ids.map(Number));
  }
}
