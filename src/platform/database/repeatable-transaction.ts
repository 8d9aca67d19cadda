import type { DataSource, EntityManager } from 'typeorm';

/**
 * A transaction that is done again when a crash of the database takes it back: what it was to do comes back with it, as
 * a row of a queue or the progress of an operation, and nobody was told that it is done. So its commit does not wait for
 * the disk. Readers see it at once, and what later transactions wait for includes it.
 */
export function repeatableTransaction<T>(db: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET LOCAL synchronous_commit = off');
    return work(tx);
  });
}
