import type { EntityManager } from 'typeorm';
import { emitCaused } from '../events/index.js';
import { type GaugeReading, secondsSince } from '../platform/telemetry/gauges.js';
import { FeedEvents } from './feed-events.js';

/** The age of the oldest arrival that an active feed has not decided about. */
export const oldestUndecided: GaugeReading<'kind'> = async (db) => {
  const [{ seconds }] = await db.query<[{ seconds: number }]>(
    `SELECT ${secondsSince('min(a.arrived_at)')} AS seconds FROM feeds f, LATERAL (
       SELECT arrived_at FROM arrivals
        WHERE workspace_id = f.workspace_id AND kind = f.source AND seq > f.position ORDER BY seq LIMIT 1) a
      WHERE f.state = 'active'`,
  );
  return [{ labels: { kind: 'feed' }, value: seconds }];
};

/** A feed is behind when an arrival waits for it longer than this. */
export const BEHIND_SECONDS = 300;

const LIMIT = `now() - interval '${BEHIND_SECONDS} seconds'`;

const undecided = (workspace: string, feed: string): string =>
  `SELECT a.arrived_at FROM arrivals a
    WHERE a.workspace_id = ${workspace} AND a.kind = ${feed}.source AND a.seq > ${feed}.position ORDER BY a.seq`;

/** Feeds that have just been resumed may have waited for long: they are given time to catch up. */
const hasFallenBehind = (workspace: string): string => `(
  w.state = 'active' AND w.status IN ('queued', 'running') AND w.behind_since IS NULL AND w.state_since < ${LIMIT}
  AND (${undecided(workspace, 'w')} LIMIT 1) < ${LIMIT})`;

/** Finds workspaces with feeds that have fallen behind. Reads all feeds with work. */
export async function workspacesBehind(db: EntityManager): Promise<number[]> {
  const rows = await db.query<{ workspace_id: number }[]>(
    `SELECT DISTINCT w.workspace_id FROM feeds w WHERE ${hasFallenBehind('w.workspace_id')}`,
  );
  return rows.map((row) => row.workspace_id);
}

interface FallenBehind {
  id: string;
  name: string;
  sheet_id: string;
  undecided_since: Date;
  undecided_count: number;
}

/**
 * Marks all feeds of a workspace, or one, that have fallen behind, and emits an event for each. A feed is not marked again before it
 * has caught up. Skips locked feeds, because their workers check them.
 */
export async function noteBehind(tx: EntityManager, workspaceId: number, feedId: string | null = null): Promise<void> {
  const [fallen] = await tx.query<[FallenBehind[], number]>(
    `UPDATE feeds f SET behind_since = now() WHERE f.workspace_id = $1 AND f.id IN (
       SELECT w.id FROM feeds w WHERE w.workspace_id = $1 AND ($2::uuid IS NULL OR w.id = $2::uuid) AND ${hasFallenBehind('$1')}
          FOR NO KEY UPDATE SKIP LOCKED)
     RETURNING f.id, f.name, f.sheet_id, (${undecided('$1', 'f')} LIMIT 1) AS undecided_since,
               (SELECT count(*)::int FROM (${undecided('$1', 'f')} LIMIT 100000) n) AS undecided_count`,
    [workspaceId, feedId],
  );
  const events = fallen.map(({ id, name, sheet_id, undecided_since: since, undecided_count }) => ({
    keyId: null,
    requestId: id,
    event: FeedEvents.behind({
      feed_id: id,
      name,
      sheet_id,
      undecided_since: since.toISOString(),
      undecided_count,
    }),
  }));
  await emitCaused(tx, workspaceId, events);
}
