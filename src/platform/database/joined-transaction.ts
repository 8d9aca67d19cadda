import type { DataSource, EntityManager } from 'typeorm';
import { sendTogether } from './send-together.js';
import { Statement, type Step } from './statement.js';

const BEGIN = new Statement('BEGIN').with([]);
const BEGIN_READING = new Statement('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').with([]);
const COMMIT = new Statement('COMMIT').with([]);
const ROLLBACK = new Statement('ROLLBACK').with([]);

/** A transaction of which every statement is known from the start: all of it travels together. */
export function transactionOf(db: DataSource, steps: readonly Step<object>[]): Promise<void> {
  return joinedTransaction(db, async ({ manager }) => {
    await sendTogether(manager, [BEGIN, ...steps, COMMIT]);
  });
}

/**
 * A transaction whose first and last statements travel together with its beginning and its commit: what is written in
 * small batches waits for the server twice instead of once per statement. `work` must end with `commit`.
 */
export function joinedTransaction<T>(db: DataSource, work: (tx: JoinedTransaction) => Promise<T>): Promise<T> {
  return runJoined(db, BEGIN, work);
}

/** The same for a transaction that writes nothing and sees everything as it was at its beginning. */
export function readingTransaction<T>(db: DataSource, work: (tx: JoinedTransaction) => Promise<T>): Promise<T> {
  return runJoined(db, BEGIN_READING, work);
}

async function runJoined<T>(db: DataSource, begin: Step, work: (tx: JoinedTransaction) => Promise<T>): Promise<T> {
  const runner = db.createQueryRunner();
  const tx = new JoinedTransaction(runner.manager, begin);
  try {
    return await work(tx);
  } catch (error) {
    // Where the connection is gone there is nothing to take back.
    await sendTogether(runner.manager, [ROLLBACK]).catch(() => undefined);
    throw error;
  } finally {
    await runner.release();
  }
}

export class JoinedTransaction {
  constructor(
    readonly manager: EntityManager,
    private readonly beginning: Step,
  ) {}

  /** To be called first and once. */
  async begin<const Steps extends readonly Step<object>[]>(steps: Steps) {
    const [, ...results] = await sendTogether(this.manager, [this.beginning, ...steps]);
    return results as unknown as Awaited<ReturnType<typeof sendTogether<Steps>>>;
  }

  async commit(steps: readonly Step<object>[] = []): Promise<void> {
    await sendTogether(this.manager, [...steps, COMMIT]);
  }
}
