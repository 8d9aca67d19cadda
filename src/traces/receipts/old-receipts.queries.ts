import type { EntityManager } from 'typeorm';

const AT_ONCE = 5000;

/**
 * Deletes some of the receipts older than `days` days, of all workspaces; returns their number, 0 when none is left.
 */
export async function deleteOldReceipts(tx: EntityManager, days: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `WITH old AS MATERIALIZED (
       SELECT workspace_id, id FROM ingest_receipts WHERE received_at < now() - $1 * interval '1 day'
        ORDER BY received_at LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
     DELETE FROM ingest_receipts WHERE (workspace_id, id) IN (SELECT * FROM old)`,
    [days],
  );
  return deleted;
}

/** The same for refusal counts. */
export async function deleteOldRefusals(tx: EntityManager, days: number): Promise<number> {
  const [, deleted] = await tx.query<[unknown[], number]>(
    `WITH old AS MATERIALIZED (
       SELECT workspace_id, hour, what, reason FROM ingest_refusals WHERE hour < now() - $1 * interval '1 day'
        ORDER BY hour LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED)
     DELETE FROM ingest_refusals WHERE (workspace_id, hour, what, reason) IN (SELECT * FROM old)`,
    [days],
  );
  return deleted;
}
