import type { DataSource, EntityManager } from 'typeorm';
import { isRetryable } from './failures.js';

const ATTEMPTS = 5;

/**
 * Runs a transaction, and runs it again when it was the victim of a deadlock. For work that takes several locks in an
 * order the request decides. `work` must do nothing outside the transaction.
 */
export async function retryingTransaction<T>(db: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return retrying(() => db.transaction(work));
}

/** The same for work that is a transaction already. */
export async function retrying<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!isRetryable(error) || attempt >= ATTEMPTS) throw error;
    }
  }
}
