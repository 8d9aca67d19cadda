import type { EntityManager } from 'typeorm';

/**
 * Runs `work` in a transaction whose reads follow an index instead of sorting. For loops that read a table portion by portion in the
 * order of its key: while the statistics of the table are old, the planner takes what is left for few rows and sorts all of them for
 * every portion.
 */
export function inIndexOrder<T>(db: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query('SET LOCAL enable_bitmapscan = off');
    return work(tx);
  });
}
