import type { EntityManager } from 'typeorm';
import { textArray } from '../platform/database/binary-arrays.js';
import type { QueuedCells } from '../grid/computing/queue-cells.js';
import { decide, type JudgedItem } from './decide.js';
import type { FeedRows, WorkingFeed } from './feed-rows.js';
import type { StoredItem } from './shared/feed-source.js';
import { Feed } from './feeds.entities.js';

/** Stored items that are decided in one transaction. */
const AT_ONCE = 500;

/**
 * Decides about the next items that were stored before the feed began, ordered by their start. Skips items that have an arrival
 * or will get one.
 */
export async function takeBackfill(
  tx: EntityManager,
  work: WorkingFeed,
  rows: FeedRows,
): Promise<{ hasMore: boolean; queued?: QueuedCells | null }> {
  const { feed, source } = work;
  const { backfill, workspaceId, id, settings } = feed;
  if (!backfill || backfill.isDone) return { hasMore: false };
  const after = backfill.at === null ? null : { at: backfill.at, id: backfill.id! };
  const items = await source.stored(tx, workspaceId, backfill, { after, order: 'asc', limit: AT_ONCE });
  const arriving = await readArriving(tx, feed, items);
  const own = items.filter((item) => !arriving.has(item.id));
  const all = await decide(
    tx,
    { source, workspaceId, settings },
    own.map((item) => item.id),
  );
  const judged = all.filter((item) => !isLater(feed, item));
  const { taken, queued } = await rows.add(tx, work, judged);
  const isCut = taken < judged.length;
  const done = isCut
    ? items.slice(
        0,
        items.findIndex(({ id: itemId }) => itemId === judged[taken]!.id),
      )
    : items;
  const last = done.at(-1);
  const isDone = !isCut && items.length < AT_ONCE;
  await tx.update(Feed, { workspaceId, id }, { backfill: { ...backfill, ...last, isDone } });
  return { hasMore: !isDone, queued };
}

/** Whether an item was stored after the feed began. Its arrival may have expired. */
const isLater = ({ expiredUntil, createdAt }: Feed, { facts }: JudgedItem): boolean =>
  expiredUntil !== null && facts !== null && facts.storedAt >= createdAt;

/** Items that have arrived since the feed began, or have yet to arrive. */
async function readArriving(tx: EntityManager, feed: Feed, items: StoredItem[]): Promise<Set<string>> {
  const { workspaceId, source, beginSeq, quietSeconds } = feed;
  const waiting =
    source === 'requests'
      ? 'SELECT log_id::text FROM request_log_search_queue WHERE workspace_id = $1 AND is_new AND log_id = ANY($2::text[]::bigint[])'
      : 'SELECT trace_id FROM open_traces WHERE workspace_id = $1 AND trace_id = ANY($2::text[]) AND $5::int <> ALL (arrived_waits)';
  const rows = await tx.query<{ id: string }[]>(
    `SELECT item_id AS id FROM arrivals
      WHERE workspace_id = $1 AND kind = $3 AND item_id = ANY($2::text[]) AND seq > $4::bigint
        AND (quiet_seconds IS NULL OR quiet_seconds = $5::int) AND $5::int <> ALL (known)
     UNION ALL ${waiting}`,
    [workspaceId, textArray(items.map(({ id }) => id)), source, beginSeq, quietSeconds],
  );
  return new Set(rows.map(({ id }) => id));
}
