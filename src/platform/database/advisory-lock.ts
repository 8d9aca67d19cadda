import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/**
 * Makes transactions that ask for the same thing wait for each other, until the end of the transaction. `what` names
 * the kind of thing; the rest says which one. Different things may rarely share a lock, which only costs time.
 */
export async function lockUntilCommit(tx: EntityManager, what: string, ...which: (string | number)[]): Promise<void> {
  const digest = createHash('sha256')
    .update(JSON.stringify([what, ...which]))
    .digest();
  await tx.query('SELECT pg_advisory_xact_lock($1)', [digest.readBigInt64BE().toString()]);
}
