import type { EntityManager } from 'typeorm';
import { uuidArray } from '../platform/database/binary-arrays.js';
import type { Decision } from './feed-settings.js';
import type { Feed } from './feeds.entities.js';

/** How far a feed has come. */
export interface FeedStanding {
  /** The table of its sheet. */
  tableId: string | null;
  /** Decisions since the beginning of the last hour. */
  lastHour: Partial<Record<Decision | 'grown', number>>;
  /** Rows that are there. */
  rowCount: number;
  /** Rows with cells that are being computed. */
  waitingCount: number;
  /** Arrivals that wait for a decision. */
  undecidedCount: number;
  /** When the oldest of them arrived; null without any. */
  undecidedSince: Date | null;
  /** US dollars for rows of today, in UTC. */
  costToday: number;
}

type StandingRow = FeedStanding & { id: string };

/** Feeds with their standing, in their order. */
export async function readStanding(
  tx: EntityManager,
  workspaceId: number,
  feeds: Feed[],
): Promise<(Feed & FeedStanding)[]> {
  if (feeds.length === 0) return [];
  const rows = await tx.query<StandingRow[]>(
    `SELECT f.id, s.table_id AS "tableId", u.count AS "undecidedCount", u.since AS "undecidedSince",
            i.rows AS "rowCount", i.waiting AS "waitingCount", h.counts AS "lastHour",
            (SELECT coalesce(sum(e.cost), 0) FROM feed_executions x JOIN executions e ON e.workspace_id = $1 AND e.id = x.execution_id
              WHERE x.workspace_id = $1 AND x.feed_id = f.id AND x.day = (now() AT TIME ZONE 'UTC')::date) AS "costToday"
       FROM feeds f
       JOIN sheets s ON s.workspace_id = $1 AND s.id = f.sheet_id,
       LATERAL (SELECT count(*)::int AS count, min(a.arrived_at) AS since FROM (
           SELECT arrived_at FROM arrivals WHERE workspace_id = $1 AND kind = f.source AND seq > f.position ORDER BY seq LIMIT 100000) a) u,
       LATERAL (SELECT count(*)::int AS rows, count(*) FILTER (WHERE NOT is_settled)::int AS waiting FROM feed_items
           WHERE workspace_id = $1 AND feed_id = f.id AND row_index IS NOT NULL) i,
       LATERAL (SELECT coalesce(jsonb_object_agg(n.key, n.sum), '{}') AS counts FROM (
           SELECT c.key, sum(c.value::int) AS sum FROM feed_hours, jsonb_each_text(counts) c
            WHERE workspace_id = $1 AND feed_id = f.id AND hour >= date_trunc('hour', now(), 'UTC') - interval '1 hour' GROUP BY c.key) n) h
      WHERE f.workspace_id = $1 AND f.id = ANY($2::uuid[])`,
    [workspaceId, uuidArray(feeds.map(({ id }) => id))],
  );
  const byId = new Map(rows.map(({ id, ...standing }) => [id, standing]));
  return feeds.flatMap((feed) => {
    const standing = byId.get(feed.id);
    return standing ? [Object.assign(feed, standing)] : [];
  });
}
