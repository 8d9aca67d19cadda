import type { EntityManager } from 'typeorm';
import { boolArray, int4Array, textArray } from '../platform/database/binary-arrays.js';
import { type Decision, RECORDED } from './feed-settings.js';
import type { Feed } from './feeds.entities.js';

export type FeedKey = Pick<Feed, 'workspaceId' | 'id'>;

/** Rows and costs of a feed in the present hour and day, in UTC. */
export interface FeedUse {
  rowsThisHour: number;
  rowsToday: number;
  /** US dollars, including those reserved for calls under way. */
  costToday: number;
  /** An operation of today has ended because another cell would have exceeded its budget. */
  isSpent: boolean;
  /** The operation of the feed if it was begun today. Its costs count for that day. */
  executionId: string | null;
}

export const TODAY = `(now() AT TIME ZONE 'UTC')::date`;

export async function readUse(
  tx: EntityManager,
  { workspaceId, id, executionId }: FeedKey & Pick<Feed, 'executionId'>,
): Promise<FeedUse> {
  const [use] = await tx.query<[FeedUse]>(
    `SELECT coalesce(sum((h.counts ->> 'chosen')::int) FILTER (WHERE h.hour = date_trunc('hour', now(), 'UTC')), 0)::int AS "rowsThisHour",
            coalesce(sum((h.counts ->> 'chosen')::int), 0)::int AS "rowsToday",
            (SELECT coalesce(sum(e.cost), 0) FROM feed_executions f
               JOIN executions e ON e.workspace_id = $1 AND e.id = f.execution_id
              WHERE f.workspace_id = $1 AND f.feed_id = $2 AND f.day = ${TODAY})
          + (SELECT coalesce(sum(r.amount), 0) FROM feed_executions f
               JOIN call_reservations r ON r.workspace_id = $1 AND r.execution_id = f.execution_id
              WHERE f.workspace_id = $1 AND f.feed_id = $2 AND f.day = ${TODAY}) AS "costToday",
            EXISTS (SELECT FROM feed_executions f
               JOIN executions e ON e.workspace_id = $1 AND e.id = f.execution_id
              WHERE f.workspace_id = $1 AND f.feed_id = $2 AND f.day = ${TODAY}
                AND e.status = 'cancelled' AND e.message IS NOT NULL) AS "isSpent",
            (SELECT f.execution_id FROM feed_executions f
              WHERE f.workspace_id = $1 AND f.feed_id = $2 AND f.execution_id = $3::uuid AND f.day = ${TODAY}) AS "executionId"
       FROM feed_hours h
      WHERE h.workspace_id = $1 AND h.feed_id = $2 AND h.hour >= date_trunc('day', now(), 'UTC')`,
    [workspaceId, id, executionId],
  );
  return use;
}

/** Adds an operation to the costs of today. */
export async function noteExecution(tx: EntityManager, { workspaceId, id }: FeedKey, executionId: string) {
  await tx.query(
    `INSERT INTO feed_executions (workspace_id, feed_id, execution_id, day) VALUES ($1, $2, $3, ${TODAY}) ON CONFLICT DO NOTHING`,
    [workspaceId, id, executionId],
  );
}

/** Counts decisions of the present hour. */
export async function countDecisions(
  tx: EntityManager,
  { workspaceId, id }: FeedKey,
  decisions: readonly (Decision | 'grown')[],
): Promise<void> {
  if (decisions.length === 0) return;
  const counts: Record<string, number> = {};
  for (const decision of decisions) counts[decision] = (counts[decision] ?? 0) + 1;
  await tx.query(
    `INSERT INTO feed_hours (workspace_id, feed_id, hour, counts) VALUES ($1, $2, date_trunc('hour', now(), 'UTC'), $3::jsonb)
     ON CONFLICT (workspace_id, feed_id, hour) DO UPDATE SET counts = feed_hours.counts || (
       SELECT jsonb_object_agg(n.key, n.value::int + coalesce((feed_hours.counts ->> n.key)::int, 0)) FROM jsonb_each_text(excluded.counts) n)`,
    [workspaceId, id, JSON.stringify(counts)],
  );
}

export interface NewFeedItem {
  itemId: string;
  decision: Decision;
  rowIndex: number | null;
}

/** Records decisions that do not follow from the settings. */
export async function recordItems(
  tx: EntityManager,
  { workspaceId, id, revision }: FeedKey & Pick<Feed, 'revision'>,
  { items, version }: { items: NewFeedItem[]; version: number },
): Promise<void> {
  const recorded = items.filter(({ decision }) => RECORDED.has(decision));
  if (recorded.length === 0) return;
  await tx.query(
    `INSERT INTO feed_items (workspace_id, feed_id, item_id, decision, row_index, version, is_settled, revision)
     SELECT $1, $2, n.item_id, n.decision, n.row_index, CASE WHEN n.is_chosen THEN $7::int END, NOT n.is_chosen, $8::int
       FROM unnest($3::text[], $4::text[], $5::int[], $6::boolean[]) AS n (item_id, decision, row_index, is_chosen)`,
    [
      workspaceId,
      id,
      textArray(recorded.map(({ itemId }) => itemId)),
      textArray(recorded.map(({ decision }) => decision)),
      recorded.map(({ rowIndex }) => rowIndex),
      boolArray(recorded.map(({ decision }) => decision === 'chosen')),
      version,
      revision,
    ],
  );
}

/** An item that has a row. */
export interface FedItem {
  itemId: string;
  rowIndex: number;
  published: Record<string, number> | null;
}

const FED = 'item_id AS "itemId", row_index AS "rowIndex", published';

/** Items that have a record of the feed's decision. `rowIndex` is null without a row. */
export function readKnown(
  tx: EntityManager,
  { workspaceId, id }: FeedKey,
  itemIds: string[],
): Promise<{ itemId: string; rowIndex: number | null }[]> {
  return tx.query(
    `SELECT item_id AS "itemId", row_index AS "rowIndex" FROM feed_items
      WHERE workspace_id = $1 AND feed_id = $2 AND item_id = ANY($3::text[])`,
    [workspaceId, id, textArray(itemIds)],
  );
}

/** Items whose rows are computed, in the order of the rows. */
export function readUnsettled(tx: EntityManager, { workspaceId, id }: FeedKey, limit: number): Promise<FedItem[]> {
  return tx.query(
    `SELECT ${FED} FROM feed_items WHERE workspace_id = $1 AND feed_id = $2 AND NOT is_settled
      ORDER BY row_index LIMIT $3::int`,
    [workspaceId, id, limit],
  );
}

/** The items of some rows. */
export function readFed(tx: EntityManager, { workspaceId, id }: FeedKey, rows: number[]): Promise<FedItem[]> {
  return tx.query(
    `SELECT ${FED} FROM feed_items WHERE workspace_id = $1 AND feed_id = $2 AND row_index = ANY($3::int[])`,
    [workspaceId, id, int4Array(rows)],
  );
}

export async function settleItems(
  tx: EntityManager,
  { workspaceId, id }: FeedKey,
  items: { rowIndex: number; isFailed: boolean }[],
): Promise<void> {
  if (items.length === 0) return;
  await tx.query(
    `UPDATE feed_items i SET is_settled = true, is_failed = n.is_failed
       FROM unnest($3::int[], $4::boolean[]) AS n (row_index, is_failed)
      WHERE i.workspace_id = $1 AND i.feed_id = $2 AND i.row_index = n.row_index`,
    [
      workspaceId,
      id,
      int4Array(items.map(({ rowIndex }) => rowIndex)),
      boolArray(items.map(({ isFailed }) => isFailed)),
    ],
  );
}

/** Lets items wait for their cells again. */
export async function unsettleItems(tx: EntityManager, { workspaceId, id }: FeedKey, rows: number[]): Promise<void> {
  await tx.query(
    `UPDATE feed_items SET is_settled = false WHERE workspace_id = $1 AND feed_id = $2 AND row_index = ANY($3::int[])`,
    [workspaceId, id, int4Array(rows)],
  );
}

export async function markPublished(
  tx: EntityManager,
  { workspaceId, id }: FeedKey,
  published: { rowIndex: number; versions: Record<string, number> }[],
): Promise<void> {
  if (published.length === 0) return;
  await tx.query(
    `UPDATE feed_items i SET published = n.versions::jsonb FROM unnest($3::int[], $4::text[]) AS n (row_index, versions)
      WHERE i.workspace_id = $1 AND i.feed_id = $2 AND i.row_index = n.row_index`,
    [
      workspaceId,
      id,
      int4Array(published.map(({ rowIndex }) => rowIndex)),
      textArray(published.map(({ versions }) => JSON.stringify(versions))),
    ],
  );
}

/** Rows to delete because of their number or age, with the version of the oldest row that stays. */
export async function readSurplus(
  tx: EntityManager,
  { workspaceId, id }: FeedKey,
  { keepRows, keepDays }: { keepRows: number; keepDays: number | null },
): Promise<{ rows: number[]; firstVersion: number | null }> {
  const [found] = await tx.query<[{ rows: number[] | null; firstVersion: number | null }]>(
    `WITH fed AS (
       SELECT row_index, version, decided_at, row_number() OVER (ORDER BY row_index DESC) AS place
         FROM feed_items WHERE workspace_id = $1 AND feed_id = $2 AND row_index IS NOT NULL),
     kept AS (SELECT row_index, version, place > $3::int OR decided_at < now() - $4::int * interval '1 day' IS TRUE AS goes FROM fed)
     SELECT (SELECT array_agg(row_index ORDER BY row_index) FROM (SELECT row_index FROM kept WHERE goes ORDER BY row_index LIMIT 2000) g) AS rows,
            (SELECT min(version) FROM kept WHERE NOT goes) AS "firstVersion"`,
    [workspaceId, id, keepRows, keepDays],
  );
  return { rows: found.rows ?? [], firstVersion: found.firstVersion };
}

/** Items keep their decision when their rows are gone. */
export async function forgetRowsOfItems(tx: EntityManager, { workspaceId, id }: FeedKey, rows: number[]) {
  await tx.query(
    `UPDATE feed_items SET row_index = NULL, is_settled = true WHERE workspace_id = $1 AND feed_id = $2 AND row_index = ANY($3::int[])`,
    [workspaceId, id, int4Array(rows)],
  );
}
