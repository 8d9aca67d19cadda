import type { DataSource, EntityManager } from 'typeorm';
import { addQuietTraces, readArrivals } from '../arrivals/index.js';
import { DECISION_DAYS, forgetRead, newsOf } from './feed-arrivals.queries.js';
import { Feed } from './feeds.entities.js';
import { countDecisions, type FeedKey } from './feeds.queries.js';

/** Arrivals that expire in one transaction. */
const AT_ONCE = 5000;

const OLD = `now() - interval '${DECISION_DAYS} days'`;

/** Days for which arrivals wait for a paused feed, in seconds. */
const OLD_SECONDS = DECISION_DAYS * 24 * 3600;

/** A paused feed for which something has waited for longer than decisions are kept. */
const hasExpired = (workspace: string): string => `(
  w.state = 'paused' AND w.state_since < ${OLD} AND (
    (SELECT a.arrived_at FROM arrivals a WHERE a.workspace_id = ${workspace} AND a.kind = w.source AND a.seq > w.position
      ORDER BY a.seq LIMIT 1) < ${OLD}
    OR w.source = 'traces' AND EXISTS (SELECT FROM open_traces o
      WHERE o.workspace_id = ${workspace} AND o.changed_at < ${OLD} - w.quiet_seconds * interval '1 second'
        AND w.quiet_seconds <> ALL (o.arrived_waits))))`;

/** Workspaces with feeds that were paused for so long that something has expired. */
export async function workspacesToExpire(db: EntityManager): Promise<number[]> {
  const rows = await db.query<{ workspace_id: number }[]>(
    `SELECT DISTINCT w.workspace_id FROM feeds w WHERE ${hasExpired('w.workspace_id')}`,
  );
  return rows.map((row) => row.workspace_id);
}

/** Expires a batch of arrivals of one paused feed of a workspace. Returns whether there may be more. */
export async function expireOne(db: DataSource, workspaceId: number): Promise<boolean> {
  const [found] = await db.query<FeedKey[]>(
    `SELECT w.workspace_id AS "workspaceId", w.id FROM feeds w WHERE w.workspace_id = $1 AND ${hasExpired('$1')} LIMIT 1`,
    [workspaceId],
  );
  if (!found) return false;
  return db.transaction(async (tx) => {
    const lock = { mode: 'pessimistic_write' as const };
    const feed = await tx.findOne(Feed, { where: { workspaceId, id: found.id, state: 'paused' }, lock });
    if (feed) await expire(tx, feed);
    return true;
  });
}

async function expire(tx: EntityManager, feed: Feed): Promise<void> {
  const { workspaceId, id, source: kind, quietSeconds, position, stateSince } = feed;
  // Old quiet traces must get their arrivals first, because a paused feed does not add them.
  if (kind === 'traces') await addQuietTraces(tx, workspaceId, { quietSeconds, since: OLD_SECONDS + quietSeconds });
  const waiting = await readArrivals(tx, { workspaceId, kind }, { after: position, limit: AT_ONCE });
  const firstKept = waiting.findIndex(({ waitedSeconds }) => waitedSeconds < OLD_SECONDS);
  const gone = firstKept === -1 ? waiting : waiting.slice(0, firstKept);
  const last = gone.at(-1);
  if (!last) return;
  const fresh = gone.filter((arrival) => newsOf(arrival, feed) === 'new');
  await countDecisions(
    tx,
    feed,
    fresh.map(() => 'expired' as const),
  );
  const isOfThisPause = feed.expiredUntil !== null && feed.expiredUntil >= stateSince;
  const begin = new Date(Math.min(stateSince.getTime(), gone[0]!.arrivedAt.getTime()));
  await tx.update(
    Feed,
    { workspaceId, id },
    {
      position: last.seq,
      beginSeq: last.seq,
      expiredFrom: isOfThisPause ? feed.expiredFrom : begin,
      expiredUntil: last.arrivedAt,
    },
  );
  await forgetRead(tx, feed);
}
