import type { EntityManager } from 'typeorm';
import { closeArrivals, forgetArrivals, forgetOpenTraces, openArrivals, type ReadArrival } from '../arrivals/index.js';
import { Feed } from './feeds.entities.js';
import { type FeedKey, TODAY } from './feeds.queries.js';

/** The meaning of an arrival for a feed: an item to decide about, one that has grown since, or nothing. */
export function newsOf(
  { quietSeconds, known, current }: ReadArrival,
  feed: Pick<Feed, 'quietSeconds'>,
): 'new' | 'grown' | null {
  const wait = feed.quietSeconds;
  if (quietSeconds !== null && quietSeconds !== wait) return null;
  if (current.includes(wait)) return null;
  return known.includes(wait) ? 'grown' : 'new';
}

/** Deletes arrivals that all feeds have read. */
export async function forgetRead(
  tx: EntityManager,
  { workspaceId, source: kind }: Pick<Feed, 'workspaceId' | 'source'>,
): Promise<void> {
  const [slowest] = await tx.query<[{ seq: string; waits: number[] }]>(
    `SELECT min(CASE WHEN f.backfill ->> 'isDone' = 'false' THEN least(f.position, f.begin_seq) ELSE f.position END) AS seq,
            array_agg(DISTINCT f.quiet_seconds) AS waits FROM feeds f WHERE f.workspace_id = $1 AND f.source = $2`,
    [workspaceId, kind],
  );
  await forgetArrivals(tx, { workspaceId, kind }, slowest.seq);
  if (kind === 'traces') await forgetOpenTraces(tx, workspaceId, slowest.waits);
}

/** Ends the log of arrivals of a kind when its last feed is gone: nobody would delete its entries. */
export async function closeUnread(
  tx: EntityManager,
  { workspaceId, source }: Pick<Feed, 'workspaceId' | 'source'>,
): Promise<void> {
  // Locks the log of arrivals: a feed that is created concurrently is seen below, or waits.
  await openArrivals(tx, workspaceId, source);
  if (!(await tx.existsBy(Feed, { workspaceId, source }))) await closeArrivals(tx, workspaceId, source);
}

/** Days for which decisions are kept. */
export const DECISION_DAYS = 30;
/** Days for which numbers of decisions are kept. */
const COUNT_DAYS = 366;

/** Deletes old decisions without rows, old counts, and the costs of earlier days. */
export async function forgetOld(tx: EntityManager, { workspaceId, id }: FeedKey): Promise<void> {
  const old = (table: string, condition: string) =>
    tx.query(`DELETE FROM ${table} WHERE workspace_id = $1 AND feed_id = $2 AND ${condition}`, [workspaceId, id]);
  await old('feed_items', `row_index IS NULL AND decided_at < now() - interval '${DECISION_DAYS} days'`);
  await old('feed_hours', `hour < now() - interval '${COUNT_DAYS} days'`);
  await old('feed_executions', `day < ${TODAY} - 1`);
}
