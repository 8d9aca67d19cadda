import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { FolderItem, type FolderItemKind } from '../../folders/index.js';
import { deleteTables } from './delete-tables.js';

/** Tables are items of folders. The content of a deleted table is hidden with it. */
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
  delete(tx: EntityManager, caller: Caller, ids: string[]): Promise<void> {
    return deleteTables(tx, caller, ids);
  }
}
