import type { EntityManager } from 'typeorm';
import { readRuns, textOfRuns } from './receipt.js';

/** Receipts that are looked through in one transaction. */
const AT_ONCE = 500;

interface Erased {
  /** Receipts that told of the traces. */
  receipts: number;
  /** Where the next portion begins; null after the last one. */
  next: string | null;
}

/**
 * Takes what is told of some traces out of the next receipts after one of them (`after`, '' at the beginning). A request may have brought
 * spans of others as well: of these its receipt goes on telling.
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

/** A receipt of nothing else is deleted. */
async function replace(tx: EntityManager, { workspaceId, id }: { workspaceId: number; id: string }, outcomes: string) {
  const receipt = [workspaceId, id];
  if (outcomes === '') await tx.query('DELETE FROM ingest_receipts WHERE workspace_id = $1 AND id = $2', receipt);
  else {
    const update = 'UPDATE ingest_receipts SET outcomes = $3 WHERE workspace_id = $1 AND id = $2';
    await tx.query(update, [...receipt, outcomes]);
  }
}
