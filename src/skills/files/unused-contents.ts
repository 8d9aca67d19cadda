import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Sweep } from '../../platform/queue/sweep.js';

/** Time for downloads that have begun to read their files. */
const GRACE = `interval '10 minutes'`;
/** Maximum number of collections in one run. */
const AT_ONCE = 100;

/** A deleted collection that still has its versions. */
interface DeletedCollection {
  workspaceId: number;
  id: string;
}

/** Deletes the versions of deleted collections, and the contents of their files unless other versions have them, too. */
@Injectable()
export class UnusedContents {
  constructor(private readonly db: DataSource) {}

  @Sweep('skill-contents')
  async sweep(): Promise<void> {
    for (const collection of await this.deleted()) {
      await this.db.transaction((tx) => deleteVersions(tx, collection));
    }
  }

  private deleted(): Promise<DeletedCollection[]> {
    return this.db.query(
      `SELECT c.workspace_id AS "workspaceId", c.id FROM skill_collections c
        WHERE c.deleted_at < now() - ${GRACE} AND EXISTS (
          SELECT 1 FROM skill_versions v WHERE v.workspace_id = c.workspace_id AND v.collection_id = c.id)
        ORDER BY c.deleted_at LIMIT ${AT_ONCE}`,
    );
  }
}

/**
 * Deletes the versions and unused contents of a collection. Skips the collection if a content is locked: a transaction that saves
 * a version locks its contents (`storeContents`). The next run tries again.
 */
async function deleteVersions(tx: EntityManager, { workspaceId, id }: DeletedCollection): Promise<void> {
  const collection = await tx.query<unknown[]>(
    'SELECT 1 FROM skill_collections WHERE workspace_id = $1 AND id = $2 FOR UPDATE SKIP LOCKED',
    [workspaceId, id],
  );
  if (collection.length === 0 || !(await lockContents(tx, { workspaceId, id }))) return;
  // A separate statement sees every version that was saved before the locks were taken.
  await tx.query(
    `DELETE FROM skill_contents WHERE workspace_id = $1 AND hash IN (${HASHES} AND v.collection_id = $2
     EXCEPT ${HASHES} AND v.collection_id <> $2)`,
    [workspaceId, id],
  );
  await tx.query('DELETE FROM skill_versions WHERE workspace_id = $1 AND collection_id = $2', [workspaceId, id]);
}

const HASHES = `
  SELECT decode(f ->> 'hash', 'hex') FROM skill_versions v, jsonb_array_elements(v.files) AS f WHERE v.workspace_id = $1`;

/** Returns false if another transaction has a lock on some of them. */
async function lockContents(tx: EntityManager, { workspaceId, id }: DeletedCollection): Promise<boolean> {
  const held = `SELECT hash FROM skill_contents WHERE workspace_id = $1 AND hash IN (${HASHES} AND v.collection_id = $2)`;
  const all = await tx.query<unknown[]>(held, [workspaceId, id]);
  const locked = await tx.query<unknown[]>(`${held} FOR UPDATE SKIP LOCKED`, [workspaceId, id]);
  return locked.length >= all.length;
}
