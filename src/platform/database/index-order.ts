import type { EntityManager } from 'typeorm';

/**
 * Runs `work` in a transaction whose reads follow an index instead of sorting. For loops that read a table batch by batch in the order
 * of its key: with old statistics the planner takes the remaining rows for few and sorts all of them for every batch.
 */
export function inIndexOrder<T>(db: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_bitmapscan = off');
    return work(tx);
  });
}
