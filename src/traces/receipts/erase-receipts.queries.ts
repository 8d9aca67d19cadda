import type { EntityManager } from 'typeorm';
import { readRuns, textOfRuns } from './receipt.js';

/** Receipts that are looked through in one transaction. */
const AT_ONCE = 500;

interface Erased {
  /** Receipts that listed spans of the traces. */
  receipts: number;
  /** Start of the next batch; null after the last one. */
  next: string | null;
}

/**
 * Removes the spans of some traces from the next receipts after `after` ('' at the beginning). A request may have
 * brought spans of other traces as well: its receipt keeps those.
 */
export async function eraseFromReceipts(
  tx: EntityManager,
  workspaceId: number,
  { traceIds, after, isDryRun }: { traceIds: ReadonlySet<string>; after: string; isDryRun: boolean },
): Promise<Erased> {
  const rows = await tx.query<{ id: string; outcomes: string }[]>(
    `SELECT id, outcomes FROM ingest_receipts WHERE workspace_id = $1 AND ($2 = '' OR id > $2::uuid) ORDER BY id LIMIT ${AT_ONCE}`,
    [workspaceId, after],
  );
  let receipts = 0;
  for (const { id, outcomes } of rows) {
    const runs = readRuns(outcomes);
    const left = runs.filter(({ traceId }) => traceId === null || !traceIds.has(traceId));
    if (left.length === runs.length) continue;
    receipts++;
    if (!isDryRun) await replace(tx, { workspaceId, id }, textOfRuns(left));
  }
  return { receipts, next: rows.length < AT_ONCE ? null : rows.at(-1)!.id };
}

/** Deletes a receipt that has no other spans. */
async function replace(tx: EntityManager, { workspaceId, id }: { workspaceId: number; id: string }, outcomes: string) {
  const receipt = [workspaceId, id];
  if (outcomes === '') await tx.query('DELETE FROM ingest_receipts WHERE workspace_id = $1 AND id = $2', receipt);
  else {
    const update = 'UPDATE ingest_receipts SET outcomes = $3 WHERE workspace_id = $1 AND id = $2';
    await tx.query(update, [...receipt, outcomes]);
  }
}
