import type { EntityManager } from 'typeorm';
import { auditAll, type Caller } from '../../access/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';

/** Tables lie in folders. What is in a deleted table is hidden with it. */
@FolderItem({
  name: 'TABLE',
  table: 'tables',
  idType: 'uuid',
  nameSql: 'e.title',
  onRequest: true,
  editPermission: 'TABLE_EDIT',
  deletePermission: 'TABLE_DELETE',
})
export class TableFolderItem implements FolderItemKind {
  async delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    const [deleted] = await tx.query<[{ id: string; title: string }[], number]>(
      `UPDATE tables SET deleted_at = now() WHERE workspace_id = $1 AND id = ANY ($2::uuid[]) RETURNING id, title`,
      [caller.workspaceId, ids],
    );
    const deeds = deleted.map(({ id, title }) => ({ action: 'table.delete', entityId: id, details: { name: title } }));
    await auditAll(tx, caller, deeds);
  }
}
