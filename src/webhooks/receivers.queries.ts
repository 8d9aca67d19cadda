import { Statement } from '../platform/database/statement.js';
import type { Claim, Standing } from '../platform/work/work-kind.js';
import { isFree } from '../platform/work/free-lease.js';

/** A webhook that this worker has claimed. */
export interface ClaimedReceiver extends Claim {
  webhookId: number;
  /** Number of claims and releases of the webhook, including this claim. Later claims have other numbers. */
  claims: number;
}

/** SQL for the unique name of a claim. */
const claimOf = (webhook: string): string =>
  `concat_ws(':', ${webhook}.workspace_id, ${webhook}.id, ${webhook}.claims)`;

/** SQL condition for an enabled webhook `w` of a workspace that no worker has claimed, and that is not among the claims `held`. */
const claimable = (workspace: string, held: string): string => `
  w.workspace_id = ${workspace} AND w.enabled AND ${isFree('w')}
  AND ${claimOf('w')} <> ALL (${held}::text[])`;

/**
 * Finds the next workspace with due deliveries; the parameters are the turn. Reads only workspaces with pending deliveries, one
 * by one from the index of those. The order of the deliveries makes the planner use that index even if it expects most of them
 * to be due.
 */
export const NEXT_WORKSPACE = new Statement<{ workspace_id: number }>(`
  WITH RECURSIVE waiting (workspace_id) AS (
    SELECT min(workspace_id) FROM webhook_deliveries WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(d.workspace_id) FROM webhook_deliveries d WHERE d.status = 'pending' AND d.workspace_id > w.workspace_id)
      FROM waiting w WHERE w.workspace_id IS NOT NULL
  ), turns AS (
    SELECT workspace_id FROM waiting WHERE workspace_id <> ALL ($2::int[]) ORDER BY workspace_id <= $1, workspace_id
  )
  SELECT t.workspace_id FROM turns t CROSS JOIN LATERAL (
    SELECT FROM webhooks w
     CROSS JOIN LATERAL (
       SELECT FROM webhook_deliveries d
        WHERE d.workspace_id = t.workspace_id AND d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= now()
        ORDER BY d.next_attempt_at LIMIT 1) due
     WHERE ${claimable('t.workspace_id', '$3')} LIMIT 1) AS claimable
   LIMIT 1`);

/**
 * Claims the webhook of a workspace that has due deliveries and was served longest ago. $2 is the length of the lease. Foreign
 * keys do not conflict with the lock: a stronger one would skip webhooks that get new deliveries at this moment. The commit
 * waits for the disk, because a claim number that a crash takes back would be used twice.
 */
export const CLAIM = new Statement<ClaimedReceiver>(`
  UPDATE webhooks w SET lease_until = now() + $2 * interval '1 millisecond', claims = w.claims + 1
   WHERE w.workspace_id = $1 AND w.id = (
     SELECT w.id FROM webhooks w
      CROSS JOIN LATERAL (
        SELECT FROM webhook_deliveries d
         WHERE d.workspace_id = $1 AND d.webhook_id = w.id AND d.status = 'pending' AND d.next_attempt_at <= now()
         ORDER BY d.next_attempt_at LIMIT 1) due
      WHERE ${claimable('$1', '$3')}
      ORDER BY w.lease_until NULLS FIRST, w.id LIMIT 1 FOR NO KEY UPDATE OF w SKIP LOCKED)
  RETURNING w.workspace_id AS "workspaceId", w.id AS "webhookId", w.claims,
            ${claimOf('w')} AS claim, 0 AS attempts`);

/**
 * Renews the leases of the claims in $2, of one workspace, for $3. Deleted and disabled webhooks are returned as cancelled; those
 * that another worker has claimed are missing. Skips locked webhooks: nobody else can claim them either, and the next renewal is
 * soon enough.
 */
export const RENEW = new Statement<{ claim: string; standing: Standing }>(`
  WITH mine AS (
    SELECT * FROM json_to_recordset($2) AS c ("webhookId" int, claims int, claim text)
  ), unlocked AS MATERIALIZED (
    SELECT w.id FROM mine m JOIN webhooks w ON w.workspace_id = $1 AND w.id = m."webhookId" AND w.claims = m.claims
       FOR NO KEY UPDATE OF w SKIP LOCKED
  ), renewed AS (
    UPDATE webhooks w SET lease_until = now() + CASE WHEN w.enabled THEN $3 ELSE 0 END * interval '1 millisecond'
      FROM unlocked u WHERE w.workspace_id = $1 AND w.id = u.id
  )
  SELECT m.claim, CASE WHEN w.enabled THEN 'held' ELSE 'cancelled' END AS standing
    FROM mine m LEFT JOIN webhooks w ON w.workspace_id = $1 AND w.id = m."webhookId"
   WHERE w.id IS NULL OR w.claims = m.claims`);

/** Releases a claim after a pause of $4. A renewal that is on its way does not find the claim any more. */
export const RELEASE = new Statement(`
  UPDATE webhooks SET lease_until = now() + $4 * interval '1 millisecond', claims = claims + 1
   WHERE workspace_id = $1 AND id = $2 AND claims = $3`);

export interface DueDelivery {
  id: string;
  body: string;
  attempts: number;
  /** The URL of the webhook at this moment. */
  url: string;
  /** Its encrypted secret at this moment. */
  secret: Buffer;
}

/** Reads due deliveries, the longest waiting first. Returns nothing once the claim is lost. */
export const DUE = new Statement<DueDelivery>(`
  SELECT d.id, d.body, d.attempts, w.url, w.secret FROM webhooks w
    JOIN webhook_deliveries d ON d.workspace_id = $1 AND d.webhook_id = w.id
   WHERE w.workspace_id = $1 AND w.id = $2 AND w.claims = $3 AND w.enabled
     AND d.status = 'pending' AND d.next_attempt_at <= now()
   ORDER BY d.next_attempt_at, d.id LIMIT $4`);
