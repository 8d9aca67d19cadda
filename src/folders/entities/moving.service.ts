import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller, demand, demandAny } from '../../access/index.js';
import { FolderItems } from '../shared/folder-items.js';
import { lockTree, readLineage } from '../shared/folder-tree.js';
import { FolderErrors } from '../shared/folders.errors.js';
import { lockFolder } from '../shared/lock-folder.js';
import { type EntityRef, type EntitySet, lockEntities, sizeOf } from './entity-ref.js';

@Injectable()
export class MovingService {
  constructor(
    private readonly db: DataSource,
    private readonly items: FolderItems,
  ) {}

  /**
   * Moves all of the entities into a folder, or to the top level for null, and returns their number. Throws folder_not_found,
   * folder_entity_not_found, permission_missing, folder_cycle or folder_name_taken; then nothing was moved.
   */
  move(caller: Caller, refs: EntityRef[], target: number | null): Promise<number> {
    const { workspaceId } = caller;
    return this.db.transaction(async (tx) => {
      await lockTree(tx, workspaceId);
      if (target !== null) await lockFolder(tx, workspaceId, target);
      const entities = await lockEntities(tx, workspaceId, refs, this.items);
      demandEdit(caller, entities);
      await assertNoCycle(tx, workspaceId, entities.folders, target);
      await assertNamesFree(tx, workspaceId, entities.folders, target);
      await moveFolders(tx, workspaceId, entities.folders, target);
      await moveItems(tx, workspaceId, entities.items, target);
      return sizeOf(entities);
    });
  }
}

function demandEdit(caller: Caller, { folders, items }: EntitySet): void {
  if (folders.length > 0) demandAny(caller, /_EDIT$/);
  for (const store of items.keys()) demand(caller, store.editPermission);
}

async function assertNoCycle(
  tx: EntityManager,
  workspaceId: number,
  moved: number[],
  target: number | null,
): Promise<void> {
  if (target === null || moved.length === 0) return;
  const lineage = await readLineage(tx, workspaceId, [target]);
  const circular = moved.find((id) => lineage.has(id));
  if (circular !== undefined) throw FolderErrors.folder_cycle(circular);
}

/** No folder of the target, and no other moved folder, may have the name of a moved one. */
async function assertNamesFree(
  tx: EntityManager,
  workspaceId: number,
  moved: number[],
  target: number | null,
): Promise<void> {
  if (moved.length === 0) return;
  const [clash] = await tx.query<{ name: string }[]>(
    `SELECT name FROM folders
      WHERE workspace_id = $1 AND (coalesce(parent_id, 0) = $2 OR id = ANY ($3::integer[]))
      GROUP BY name HAVING count(*) > 1 AND bool_or(id = ANY ($3::integer[])) ORDER BY name COLLATE "C" LIMIT 1`,
    [workspaceId, target ?? 0, moved],
  );
  if (clash) throw FolderErrors.folder_name_taken(clash.name);
}

/** Skips folders that are already there. */
async function moveFolders(
  tx: EntityManager,
  workspaceId: number,
  moved: number[],
  target: number | null,
): Promise<void> {
  await tx.query(
    `UPDATE folders SET parent_id = $3::integer, updated_at = now()
      WHERE workspace_id = $1 AND id = ANY ($2::integer[]) AND parent_id IS DISTINCT FROM $3::integer`,
    [workspaceId, moved, target],
  );
}

async function moveItems(
  tx: EntityManager,
  workspaceId: number,
  items: EntitySet['items'],
  target: number | null,
): Promise<void> {
  for (const [{ table, idType }, ids] of items) {
    await tx.query(
      `UPDATE ${table} SET folder_id = $3::integer, updated_at = now()
        WHERE workspace_id = $1 AND id = ANY ($2::${idType}[]) AND folder_id IS DISTINCT FROM $3::integer`,
      [workspaceId, ids, target],
    );
  }
}
