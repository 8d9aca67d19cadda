import type { EntityManager } from 'typeorm';
import { Folder } from './folder.entity.js';
import { FolderErrors } from './folders.errors.js';

/**
 * Locks a folder before something is added to it, so that it cannot be deleted until the end of the transaction. Throws
 * folder_not_found.
 */
export async function lockFolder(tx: EntityManager, workspaceId: number, id: number): Promise<Folder> {
  const folder = await tx.findOne(Folder, { where: { workspaceId, id }, lock: { mode: 'pessimistic_read' } });
  if (!folder) throw FolderErrors.folder_not_found(id);
  return folder;
}
