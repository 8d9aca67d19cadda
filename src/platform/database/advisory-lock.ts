import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/**
 * Serializes transactions that lock the same name, until their end. `what` is the kind of the lock, the rest identifies it.
 * Different names may rarely share a lock, which only costs time.
 */
export async function lockUntilCommit(tx: EntityManager, what: string, ...which: (string | number)[]): Promise<void> {
  const digest = createHash('sha256')
    .update(JSON.stringify([what, ...which]))
    .digest();
  await tx.query('SELECT pg_advisory_xact_lock($1)', [digest.readBigInt64BE().toString()]);
}
