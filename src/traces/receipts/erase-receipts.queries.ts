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
    if (without(outcomes, traceIds) === null) continue;
    receipts++;
    if (!isDryRun) await replace(tx, { workspaceId, id }, traceIds);
  }
  return { receipts, next: rows.length < AT_ONCE ? null : rows.at(-1)!.id };
}

/** The outcomes without the spans of some traces; null when there are none of these. */
function without(outcomes: string, traceIds: ReadonlySet<string>): string | null {
  const runs = readRuns(outcomes);
  const left = runs.filter(({ traceId }) => traceId === null || !traceIds.has(traceId));
  return left.length === runs.length ? null : textOfRuns(left);
}

/** Deletes a receipt that has no other spans. It is read under its lock: the next part of its request may have been added. */
async function replace(
  tx: EntityManager,
  { workspaceId, id }: { workspaceId: number; id: string },
  traceIds: ReadonlySet<string>,
): Promise<void> {
  const receipt = [workspaceId, id];
  const [found] = await tx.query<{ outcomes: string }[]>(
    'SELECT outcomes FROM ingest_receipts WHERE workspace_id = $1 AND id = $2 FOR UPDATE',
    receipt,
  );
  const outcomes = found ? without(found.outcomes, traceIds) : null;
  if (outcomes === null) return;
  if (outcomes === '') await tx.query('DELETE FROM ingest_receipts WHERE workspace_id = $1 AND id = $2', receipt);
  else {
    const update = 'UPDATE ingest_receipts SET outcomes = $3 WHERE workspace_id = $1 AND id = $2';
    await tx.query(update, [...receipt, outcomes]);
  }
}
