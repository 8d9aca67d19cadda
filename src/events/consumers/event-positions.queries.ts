import type { OccurredEvent } from './occurred-event.js';
import type { EntityManager } from 'typeorm';

/** A consumer in a workspace. */
export interface PositionKey {
  workspaceId: number;
  consumer: string;
}

export interface HeldPosition {
  attempts: number;
  /** True after a failure, until the next try is due. */
  waits: boolean;
}

/**
 * The transactions whose events are visible now. Transactions that began after this one are left out, even if they have ended:
 * otherwise the events of this transaction itself would count as seen, and so would numbers that are reused after a crash.
 */
export const SNAPSHOT = `
  SELECT least(txid_snapshot_xmax(snapshot), txid_current()) AS xmax,
         ARRAY(SELECT xid FROM txid_snapshot_xip(snapshot) AS xid WHERE xid < txid_current()) AS open
    FROM txid_current_snapshot() AS snapshot`;

/** The ids and transactions of events in `workspace` outside the snapshot whose columns begin with `seen`. */
const unseen = (workspace: string, seen: string): string => {
  const events = `SELECT id, xid FROM outbox_events WHERE workspace_id = ${workspace}`;
  return (
    `${events} AND xid >= ${seen}_xmax UNION ALL ` + `${events} AND xid < ${seen}_xmax AND xid = ANY(${seen}_open)`
  );
};

/** Null when another worker holds the position, or when there is none yet. */
export async function lockPosition(
  tx: EntityManager,
  { workspaceId, consumer }: PositionKey,
): Promise<HeldPosition | null> {
  const [row] = await tx.query<HeldPosition[]>(
    `SELECT attempts, coalesce(next_attempt_at > now(), false) AS waits
       FROM event_positions WHERE workspace_id = $1 AND consumer = $2 FOR UPDATE SKIP LOCKED`,
    [workspaceId, consumer],
  );
  return row ?? null;
}

/** False when one exists. */
export async function createPosition(tx: EntityManager, { workspaceId, consumer }: PositionKey): Promise<boolean> {
  const created = await tx.query<unknown[]>(
    `INSERT INTO event_positions (workspace_id, consumer, seen_xmax, seen_open)
     SELECT $1, name, seen_xmax, seen_open FROM event_consumers WHERE name = $2
     ON CONFLICT DO NOTHING RETURNING consumer`,
    [workspaceId, consumer],
  );
  return created.length > 0;
}

/** Up to `limit` next events, in the order of their emission. */
export async function readNext(tx: EntityManager, key: PositionKey, limit: number): Promise<OccurredEvent[]> {
  await lookFurther(tx, key);
  return tx.query<OccurredEvent[]>(
    `SELECT e.id, e.type, e.details, e.key_id AS "keyId", e.request_id AS "requestId", e.occurred_at AS "occurredAt"
       FROM event_positions p JOIN outbox_events e ON e.workspace_id = p.workspace_id AND e.id > p.event_id
      WHERE p.workspace_id = $1 AND p.consumer = $2 AND e.xid < p.next_xmax AND e.xid <> ALL (p.next_open)
        AND (e.xid >= p.seen_xmax OR e.xid = ANY (p.seen_open))
      ORDER BY e.id LIMIT $3`,
    [key.workspaceId, key.consumer, limit],
  );
}

/** Starts a snapshot of all visible events, unless one is in progress or nothing is new. */
async function lookFurther(tx: EntityManager, { workspaceId, consumer }: PositionKey): Promise<void> {
  await tx.query(
    `UPDATE event_positions p SET next_xmax = now.xmax, next_open = now.open, event_id = oldest.id - 1
       FROM (${SNAPSHOT}) AS now
      CROSS JOIN LATERAL (
        SELECT min(e.id) AS id
          FROM event_positions q CROSS JOIN LATERAL (${unseen('$1', 'q.seen')}) AS e
         WHERE q.workspace_id = $1 AND q.consumer = $2 AND e.xid < now.xmax AND e.xid <> ALL (now.open)) AS oldest
      WHERE p.workspace_id = $1 AND p.consumer = $2 AND p.next_xmax IS NULL AND oldest.id IS NOT NULL`,
    [workspaceId, consumer],
  );
}

/** Records that the events up to this one were consumed. */
export async function moveTo(tx: EntityManager, { workspaceId, consumer }: PositionKey, id: string): Promise<void> {
  await tx.query(
    `UPDATE event_positions SET event_id = $3, attempts = 0, next_attempt_at = NULL
      WHERE workspace_id = $1 AND consumer = $2`,
    [workspaceId, consumer, id],
  );
}

/** Records that the whole snapshot was consumed. False when none was in progress. */
export async function arrive(tx: EntityManager, { workspaceId, consumer }: PositionKey): Promise<boolean> {
  const [, count] = await tx.query<[unknown[], number]>(
    `UPDATE event_positions
        SET seen_xmax = next_xmax, seen_open = next_open, next_xmax = NULL, next_open = NULL, event_id = NULL,
            attempts = 0, next_attempt_at = NULL
      WHERE workspace_id = $1 AND consumer = $2 AND next_xmax IS NOT NULL`,
    [workspaceId, consumer],
  );
  return count > 0;
}

export async function recordFailure(
  tx: EntityManager,
  { workspaceId, consumer }: PositionKey,
  waitMs: number,
): Promise<void> {
  await tx.query(
    `UPDATE event_positions SET attempts = attempts + 1, next_attempt_at = now() + $3 * interval '1 millisecond'
      WHERE workspace_id = $1 AND consumer = $2`,
    [workspaceId, consumer, waitMs],
  );
}

/** Workspaces with events for one of these consumers. They are found one by one in the index. */
export function findWaiting(db: EntityManager, consumers: string[]): Promise<PositionKey[]> {
  return db.query<PositionKey[]>(
    `WITH RECURSIVE w AS (
       (SELECT workspace_id FROM outbox_events ORDER BY workspace_id LIMIT 1)
       UNION ALL
       SELECT (SELECT e.workspace_id FROM outbox_events e WHERE e.workspace_id > w.workspace_id
                ORDER BY e.workspace_id LIMIT 1)
         FROM w WHERE w.workspace_id IS NOT NULL)
     SELECT w.workspace_id AS "workspaceId", c.name AS consumer
       FROM w CROSS JOIN event_consumers c
       LEFT JOIN event_positions p ON p.workspace_id = w.workspace_id AND p.consumer = c.name
      CROSS JOIN LATERAL (SELECT coalesce(p.seen_xmax, c.seen_xmax), coalesce(p.seen_open, c.seen_open)) AS s(seen_xmax, seen_open)
      WHERE c.name = ANY ($1) AND (p.next_attempt_at IS NULL OR p.next_attempt_at <= now())
        AND (p.next_xmax IS NOT NULL OR EXISTS (${unseen('w.workspace_id', 's.seen')}))`,
    [consumers],
  );
}
