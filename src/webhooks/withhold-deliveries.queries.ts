import type { EntityManager } from 'typeorm';

const REASON = 'Not sent: it was pending when the workspace was exported, and the original may have sent it.';

/** Ends the pending deliveries of a restored workspace as failed. Each one can be repeated. Returns their number. */
export async function withholdDeliveries(tx: EntityManager, workspaceId: number): Promise<number> {
  const [, count] = await tx.query<[unknown[], number]>(
    `UPDATE webhook_deliveries SET status = 'failed', error = $2 WHERE workspace_id = $1 AND status = 'pending'`,
    [workspaceId, REASON],
  );
  return count;
}
