import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { auditAll, type Caller, demand, demandAny } from '../../access/index.js';
import { releaseExternalIds } from '../../external-ids/index.js';
import { FolderItems, type ItemStore } from '../shared/folder-items.js';
import { lockFolders, lockTree, readSubtrees } from '../shared/folder-tree.js';
import { FolderErrors } from '../shared/folders.errors.js';
import { type EntityRef, type EntitySet, lockEntities, sizeOf } from './entity-ref.js';

@Injectable()
export class DeletionService {
  constructor(
    private readonly db: DataSource,
    private readonly items: FolderItems,
  ) {}

  /**
   * Deletes all of the entities, and with `cascade` everything below them. Returns their number. Throws folder_entity_not_found,
   * permission_missing or folder_not_empty; then nothing was deleted. An entity of the request itself does not make its folder
   * non-empty.
   */
  delete(caller: Caller, refs: EntityRef[], { cascade }: { cascade: boolean }): Promise<number> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await lockTree(tx, workspaceId);
      const named = await lockEntities(tx, workspaceId, refs, this.items);
      demandDelete(caller, named);
      if (!cascade) await this.assertEmpty(tx, workspaceId, named);
      const doomed = cascade ? await this.withContents(tx, workspaceId, named) : named;
      demandDelete(caller, doomed);
      for (const [store, ids] of doomed.items) await store.delete(tx, caller, ids);
      await deleteFolders(tx, caller, doomed.folders);
      return sizeOf(doomed);
    });
  }

  /** The folders are locked, so nothing can be added to them. */
  private async assertEmpty(tx: EntityManager, workspaceId: number, { folders, items }: EntitySet): Promise<void> {
    if (folders.length === 0) return;
    const subfolders = `SELECT parent_id AS id FROM folders
      WHERE workspace_id = $1 AND coalesce(parent_id, 0) = ANY ($2::integer[]) AND NOT id = ANY ($3::integer[]) LIMIT 1`;
    await assertNone(tx, subfolders, [workspaceId, folders, folders]);
    for (const store of this.items.stores()) {
      const contents = `SELECT folder_id AS id FROM ${store.table} WHERE workspace_id = $1 AND folder_id = ANY ($2::integer[])
        AND deleted_at IS NULL AND NOT id = ANY ($3::${store.idType}[]) LIMIT 1`;
      await assertNone(tx, contents, [workspaceId, folders, items.get(store) ?? []]);
    }
  }

  /** Adds everything below the folders, locked. */
  private async withContents(tx: EntityManager, workspaceId: number, named: EntitySet): Promise<EntitySet> {
    if (named.folders.length === 0) return named;
    const folders = await lockFolders(tx, workspaceId, await readSubtrees(tx, workspaceId, named.folders));
    const items: EntitySet['items'] = new Map(named.items);
    for (const store of this.items.stores()) {
      const ids = await lockContents(tx, workspaceId, store, folders);
      if (ids.length > 0) items.set(store, [...new Set([...(named.items.get(store) ?? []), ...ids])]);
    }
    return { folders, items };
  }
}

function demandDelete(caller: Caller, { folders, items }: EntitySet): void {
  if (folders.length > 0) demandAny(caller, /_DELETE$/);
  for (const store of items.keys()) demand(caller, store.deletePermission);
}

/** `contents` finds the id of a folder that holds something. */
async function assertNone(tx: EntityManager, contents: string, parameters: unknown[]): Promise<void> {
  const [found] = await tx.query<{ id: number }[]>(contents, parameters);
  if (found) throw FolderErrors.folder_not_empty(found.id);
}

async function lockContents(
  tx: EntityManager,
  workspaceId: number,
  store: ItemStore,
  folders: number[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `SELECT e.id::text AS id FROM ${store.table} e
      WHERE e.workspace_id = $1 AND e.folder_id = ANY ($2::integer[]) AND e.deleted_at IS NULL
      ORDER BY e.id FOR NO KEY UPDATE`,
    [workspaceId, folders],
  );
  return rows.map(({ id }) => id);
}

async function deleteFolders(tx: EntityManager, caller: Caller, ids: number[]): Promise<void> {
  const { workspaceId } = caller;
  await releaseExternalIds(tx, workspaceId, 'folder', ids);
  const [deleted] = await tx.query<[{ id: number; name: string }[], number]>(
    'DELETE FROM folders WHERE workspace_id = $1 AND id = ANY ($2::integer[]) RETURNING id, name',
    [workspaceId, ids],
  );
  const deeds = deleted.map(({ id, name }) => ({ action: 'folder.delete', entityId: id, details: { name } }));
  await auditAll(tx, caller, deeds);
}
