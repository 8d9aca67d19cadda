import type { EntityManager } from 'typeorm';

/**
 * Whether something has arrived, become quiet, waits for the backfill, or was computed since the feed's last turn. Results of one
 * operation may share a version, so a sheet without running cells counts as well.
 */
const hasWork = (workspace: string): string => `(
  w.position < coalesce((SELECT l.last_seq FROM arrival_logs l WHERE l.workspace_id = ${workspace} AND l.kind = w.source), 0)
  OR w.backfill ->> 'isDone' = 'false'
  OR w.source = 'traces' AND EXISTS (SELECT FROM open_traces o
       WHERE o.workspace_id = ${workspace} AND o.changed_at <= now() - w.quiet_seconds * interval '1 second'
         AND w.quiet_seconds <> ALL (o.arrived_waits))
  OR EXISTS (SELECT FROM sheets s WHERE s.workspace_id = ${workspace} AND s.id = w.sheet_id
       AND (s.version > w.seen_version OR s.deleted_at IS NOT NULL))
  OR EXISTS (SELECT FROM feed_items i WHERE i.workspace_id = ${workspace} AND i.feed_id = w.id AND NOT i.is_settled)
     AND NOT EXISTS (SELECT FROM computation_tasks t WHERE t.workspace_id = ${workspace} AND t.sheet_id = w.sheet_id))`;

const IS_IDLE = `w.status = 'idle' AND w.state = 'active'`;

/** Workspaces with idle feeds that have work. Only for sweeps, because the statement reads every feed. */
export async function workspacesToWake(db: EntityManager): Promise<number[]> {
  const rows = await db.query<{ workspace_id: number }[]>(
    `SELECT DISTINCT w.workspace_id FROM feeds w WHERE ${IS_IDLE} AND ${hasWork('w.workspace_id')}`,
  );
  return rows.map((row) => row.workspace_id);
}

/** Whether rows of an idle feed of a workspace are still being computed. */
export async function areComputing(db: EntityManager, workspaceId: number): Promise<boolean> {
  const [{ any }] = await db.query<[{ any: boolean }]>(
    `SELECT EXISTS (SELECT FROM feeds w WHERE w.workspace_id = $1 AND ${IS_IDLE} AND EXISTS (
       SELECT FROM feed_items i WHERE i.workspace_id = $1 AND i.feed_id = w.id AND NOT i.is_settled)) AS any`,
    [workspaceId],
  );
  return any;
}

/** Idle feeds of a workspace: all, or those of some sheets, or one. */
export interface Sleepers {
  workspaceId: number;
  sheetIds?: string[];
  feedId?: string;
}

/**
 * Queues idle feeds that have work, and returns their number. Call this after the commit of the work. Skips locked feeds: the
 * transaction that holds the lock wakes the feed, or the feed checks for work at the end of its turn.
 */
export async function wakeFeeds(db: EntityManager, { workspaceId, sheetIds, feedId }: Sleepers): Promise<number> {
  const [, count] = await db.query<[unknown, number]>(
    `UPDATE feeds SET status = 'queued' WHERE workspace_id = $1 AND id IN (
       SELECT w.id FROM feeds w WHERE w.workspace_id = $1 AND ${IS_IDLE} AND ${hasWork('$1')}
          AND ($2::text[]::uuid[] IS NULL OR w.sheet_id = ANY($2::text[]::uuid[])) AND ($3::uuid IS NULL OR w.id = $3::uuid)
          FOR NO KEY UPDATE SKIP LOCKED)`,
    [workspaceId, sheetIds ?? null, feedId ?? null],
  );
  return count;
}
