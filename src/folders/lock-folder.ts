import type { EntityManager } from 'typeorm';
import { Folder } from './folder.entity.js';
import { FolderErrors } from './folders.errors.js';

/**
 * A folder that something is about to be put into. Until the end of the transaction it cannot be deleted.
 * Throws folder_not_found.
 */
export async function lockFolder(tx: EntityManager, workspaceId: number, id: number): Promise<Folder> {
  const folder = await tx.findOne(Folder, { where: { workspaceId, id }, lock: { mode: 'pessimistic_read' } });
  if (!folder) throw FolderErrors.folder_not_found(id);
  return folder;
}
