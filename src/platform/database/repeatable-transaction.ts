import type { DataSource, EntityManager } from 'typeorm';

/**
 * A transaction that is repeated when a crash of the database loses it: its work comes back with it, as a row of a queue or the
 * progress of an operation, and it was not acknowledged. So its commit does not wait for the disk. Readers see it at once, and
 * commits of later transactions include it.
 */
export function repeatableTransaction<T>(db: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET LOCAL synchronous_commit = off');
    return work(tx);
  });
}
