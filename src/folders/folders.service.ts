import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller, demandAny } from '../access/index.js';
import { attachExternalIds, type ExternalIdBody, readExternalIds } from '../external-ids/index.js';
import { uniqueViolation } from '../platform/errors/failures.js';
import { Folder } from './shared/folder.entity.js';
import { findByPath, lockTree, readLineage } from './shared/folder-tree.js';
import type { FolderDetails } from './folders.dto.js';
import { FolderErrors } from './shared/folders.errors.js';
import { lockFolder } from './shared/lock-folder.js';

/** Folders contain all kinds of entities, so permission to create or edit any kind is enough to create and rename folders. */
const CREATE_OR_EDIT = /_(CREATE|EDIT)$/;

@Injectable()
export class FoldersService {
  constructor(private readonly db: DataSource) {}

  create(
    caller: Caller,
    input: { name: string; parentId: number | null; externalIds: ExternalIdBody[] },
  ): Promise<FolderDetails> {
    const { workspaceId, keyId: createdBy } = caller;
    const { name, parentId, externalIds } = input;
    return this.giveName(name, async (tx) => {
      await lockTree(tx, workspaceId);
      if (parentId !== null) await lockFolder(tx, workspaceId, parentId);
      demandAny(caller, CREATE_OR_EDIT);
      const { identifiers } = await tx.insert(Folder, { workspaceId, name, parentId, createdBy });
      const id = identifiers[0]!.id as number;
      await attachExternalIds(tx, { workspaceId, type: 'folder', id }, externalIds);
      return readDetails(tx, workspaceId, id);
    });
  }

  rename(caller: Caller, id: number, name: string): Promise<FolderDetails> {
    const { workspaceId } = caller;
    return this.giveName(name, async (tx) => {
      await lockTree(tx, workspaceId);
      await lockFolder(tx, workspaceId, id);
      demandAny(caller, CREATE_OR_EDIT);
      await tx.update(Folder, { workspaceId, id }, { name, updatedAt: () => 'now()' });
      await audit(tx, caller, { action: 'folder.rename', entityId: id, details: { name } });
      return readDetails(tx, workspaceId, id);
    });
  }

  /** The id of the folder of a path of names. Throws folder_not_found. */
  async resolve(caller: Caller, path: string): Promise<number> {
    const id = await findByPath(this.db.manager, caller.workspaceId, path);
    if (id === null) throw FolderErrors.folder_not_found(path);
    return id;
  }

  /** Throws folder_name_taken when a sibling has the name. */
  private async giveName<T>(name: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.db.transaction(work);
    } catch (error) {
      if (uniqueViolation(error) === 'folders_sibling_key') throw FolderErrors.folder_name_taken(name);
      throw error;
    }
  }
}

async function readDetails(tx: EntityManager, workspaceId: number, id: number): Promise<FolderDetails> {
  const folder = await tx.findOneByOrFail(Folder, { workspaceId, id });
  const lineage = await readLineage(tx, workspaceId, folder.parentId === null ? [] : [folder.parentId]);
  const externalIds = await readExternalIds(tx, workspaceId, 'folder', [id]);
  return { folder, lineage, externalIds: externalIds.get(String(id))! };
}
