import { setTimeout as wait } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import type { IsolationLevel } from 'typeorm/driver/types/IsolationLevel.js';
import { isRetryable } from '../errors/failures.js';
import { dropUsedBlocks } from './id-blocks.js';

const ATTEMPTS = 6;
/** Longest random wait, so that conflicting transactions do not conflict again. */
const LONGEST_WAIT_MS = 25;

type Work<T> = (tx: EntityManager) => Promise<T>;

/**
 * The database of the server. Every transaction is run again when it was the victim of a deadlock or could not be
 * serialised, so `work` may be called twice: it must have no other effects outside the transaction.
 *
 * Deadlocks are rare because rows are locked in one order, which every transaction that locks several rows must follow:
 *
 * 1. advisory locks (`lockUntilCommit`): the tree of folders first, then names and external ids;
 * 2. folders, by id;
 * 3. entities in folders, by id: tables, prompts;
 * 4. sheets. A transaction that locks several sheets, or changes their order, locks their table first;
 * 5. parts of a sheet: import operations and tasks, by id, then executions, columns, chunks and cells.
 *
 * Transactions about people have an order of their own, in which users come before the members of workspaces: `lockUsers` of access.
 *
 * Rows that others refer to are locked with FOR NO KEY UPDATE: FOR UPDATE would also stop the checks of foreign keys,
 * which PostgreSQL makes again for a row that a transaction writes twice. Only folders need FOR UPDATE, because a row of
 * a folder is deleted in earnest.
 */
export class RetryingDataSource extends DataSource {
  override transaction<T>(work: Work<T>): Promise<T>;
  override transaction<T>(isolation: IsolationLevel, work: Work<T>): Promise<T>;
  override transaction<T>(first: IsolationLevel | Work<T>, second?: Work<T>): Promise<T> {
    if (typeof first === 'function') return retrying(() => super.transaction(first));
    return retrying(() => super.transaction(first, second!));
  }
}

/** The same for transactions that are run in another way. */
export async function retrying<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction();
    } catch (error) {
      if (!(isRetryable(error) || dropUsedBlocks(error)) || attempt >= ATTEMPTS) throw error;
    }
    await wait(Math.random() * LONGEST_WAIT_MS * attempt);
  }
}
