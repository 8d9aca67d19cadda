import type { DataSource, EntityManager } from 'typeorm';
import { deleteFeed } from './delete-feed.js';
import type { Feed } from './feeds.entities.js';

/** A paused feed whose sheet or table was deleted: no route leads to it, and arrivals would wait for it forever. */
const isOrphan = (workspace: string): string => `(
  w.state = 'paused' AND NOT EXISTS (
    SELECT FROM sheets s JOIN tables t ON t.workspace_id = ${workspace} AND t.id = s.table_id
     WHERE s.workspace_id = ${workspace} AND s.id = w.sheet_id AND s.deleted_at IS NULL AND t.deleted_at IS NULL))`;

export async function workspacesWithOrphans(db: EntityManager): Promise<number[]> {
  const rows = await db.query<{ workspace_id: number }[]>(
    `SELECT DISTINCT w.workspace_id FROM feeds w WHERE ${isOrphan('w.workspace_id')}`,
  );
  return rows.map((row) => row.workspace_id);
}

/** Deletes one such feed of a workspace. Returns false if there is none. */
export function deleteOrphan(db: DataSource, workspaceId: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [orphan] = await tx.query<Pick<Feed, 'workspaceId' | 'id' | 'source'>[]>(
      `SELECT w.workspace_id AS "workspaceId", w.id, w.source FROM feeds w
        WHERE w.workspace_id = $1 AND ${isOrphan('$1')} ORDER BY w.id LIMIT 1 FOR UPDATE`,
      [workspaceId],
    );
    if (orphan) await deleteFeed(tx, orphan);
    return orphan !== undefined;
  });
}
