import type { EntityManager } from 'typeorm';
import { int4Array, textArray } from '../platform/database/binary-arrays.js';
import { Statement } from '../platform/database/statement.js';
import type { Claim, Standing, Turn } from '../platform/work/work-kind.js';

/** The receiver of a webhook, in the hands of this worker. */
export interface ClaimedReceiver extends Claim {
  webhookId: number;
  /** How often the webhook was claimed, this time included: whoever claims it later has another number. */
  claims: number;
}

/**
 * Takes the next webhook with deliveries that are due. Workspaces have their turns, and in each of them the webhook that
 * was served longest ago comes first. Only workspaces with pending deliveries are looked at, which the index over those
 * gives one by one. The order of the deliveries makes the planner use that index where it expects most of them to be due.
 * The lock is one that references to webhooks do not wait for: stronger locks would pass over webhooks that get new
 * deliveries at this moment.
 */
const CLAIM = new Statement<Omit<ClaimedReceiver, keyof Claim> & { workspaceId: number }>(`
  WITH RECURSIVE waiting (workspace_id) AS (
    SELECT min(workspace_id) FROM webhook_deliveries WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(d.workspace_id) FROM webhook_deliveries d WHERE d.status = 'pending' AND d.workspace_id > w.workspace_id)
      FROM waiting w WHERE w.workspace_id IS NOT NULL
  ), turns AS (
    SELECT workspace_id FROM waiting WHERE workspace_id <> ALL ($2::int[]) ORDER BY workspace_id <= $1, workspace_id
  ), next AS (
    SELECT w.* FROM turns t CROSS JOIN LATERAL (
      SELECT w.workspace_id, w.id FROM webhooks w
       CROSS JOIN LATERAL (
         SELECT FROM webhook_deliveries d
          WHERE d.workspace_id = w.workspace_id AND d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= now()
          ORDER BY d.next_attempt_at LIMIT 1) due
       WHERE w.workspace_id = t.workspace_id AND w.enabled AND (w.lease_until IS NULL OR w.lease_until <= now())
       ORDER BY w.lease_until NULLS FIRST, w.id LIMIT 1 FOR NO KEY UPDATE OF w SKIP LOCKED) w
     LIMIT 1
  )
  UPDATE webhooks w SET lease_until = now() + $3 * interval '1 millisecond', claims = w.claims + 1
    FROM next WHERE w.workspace_id = next.workspace_id AND w.id = next.id
  RETURNING w.workspace_id AS "workspaceId", w.id AS "webhookId", w.claims`);

/** null when nothing is due that nobody is at. */
export async function claimReceiver(
  db: EntityManager,
  { after, full }: Turn,
  leaseMs: number,
): Promise<ClaimedReceiver | null> {
  const [claimed] = await CLAIM.run(db, [after, full, leaseMs]);
  if (!claimed) return null;
  const { workspaceId, webhookId, claims } = claimed;
  return { ...claimed, claim: `${workspaceId}:${webhookId}:${claims}`, attempts: 0 };
}

/** Webhooks that are deleted or switched off come back as not held; those that another worker has claimed are missing. */
const RENEW = new Statement<{ claim: string; held: boolean }>(`
  WITH mine AS (
    SELECT * FROM unnest($1::int[], $2::int[], $3::int[], $4::text[]) AS c (workspace_id, id, claims, claim)
  ), renewed AS (
    UPDATE webhooks w SET lease_until = now() + CASE WHEN w.enabled THEN $5 ELSE 0 END * interval '1 millisecond'
      FROM mine m WHERE w.workspace_id = m.workspace_id AND w.id = m.id AND w.claims = m.claims
  )
  SELECT m.claim, coalesce(w.enabled, false) AS held
    FROM mine m LEFT JOIN webhooks w ON w.workspace_id = m.workspace_id AND w.id = m.id
   WHERE w.id IS NULL OR w.claims = m.claims`);

export async function renewLeases(
  db: EntityManager,
  claims: ClaimedReceiver[],
  leaseMs: number,
): Promise<Map<string, Standing>> {
  const rows = await RENEW.run(db, [
    int4Array(claims.map(({ workspaceId }) => workspaceId)),
    int4Array(claims.map(({ webhookId }) => webhookId)),
    int4Array(claims.map((claim) => claim.claims)),
    textArray(claims.map(({ claim }) => claim)),
    leaseMs,
  ]);
  return new Map(rows.map(({ claim, held }) => [claim, held ? 'held' : 'cancelled']));
}

const RELEASE = new Statement(`
  UPDATE webhooks SET lease_until = now() + $4 * interval '1 millisecond' WHERE workspace_id = $1 AND id = $2 AND claims = $3`);

/** Others may claim the webhook when the pause is over. */
export async function releaseReceiver(
  db: EntityManager,
  { workspaceId, webhookId, claims }: ClaimedReceiver,
  pauseMs = 0,
): Promise<void> {
  await RELEASE.run(db, [workspaceId, webhookId, claims, pauseMs]);
}

export interface DueDelivery {
  id: string;
  body: string;
  attempts: number;
  /** The URL of the webhook at this moment. */
  url: string;
  /** Its encrypted secret at this moment. */
  secret: Buffer;
}

const DUE = new Statement<DueDelivery>(`
  SELECT d.id, d.body, d.attempts, w.url, w.secret FROM webhooks w
    JOIN webhook_deliveries d ON d.workspace_id = w.workspace_id AND d.webhook_id = w.id
   WHERE w.workspace_id = $1 AND w.id = $2 AND w.claims = $3 AND w.enabled
     AND d.status = 'pending' AND d.next_attempt_at <= now()
   ORDER BY d.next_attempt_at, d.id LIMIT $4`);

/** Deliveries that are due, what has waited longest first; none when the webhook is not this worker's any more. */
export function findDue(
  db: EntityManager,
  { workspaceId, webhookId, claims }: ClaimedReceiver,
  most: number,
): Promise<DueDelivery[]> {
  return DUE.run(db, [workspaceId, webhookId, claims, most]);
}
