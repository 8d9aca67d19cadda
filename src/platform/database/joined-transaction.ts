import type { DataSource, EntityManager } from 'typeorm';
import { sendTogether } from './send-together.js';
import { Statement, type Step } from './statement.js';

const BEGIN = new Statement('BEGIN').with([]);
const BEGIN_READING = new Statement('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY').with([]);
const COMMIT = new Statement('COMMIT').with([]);
const ROLLBACK = new Statement('ROLLBACK').with([]);

/** A transaction whose statements are all known from the start and sent together. */
export function transactionOf(db: DataSource, steps: readonly Step<object>[]): Promise<void> {
  return joinedTransaction(db, async ({ manager }) => {
    await sendTogether(manager, [BEGIN, ...steps, COMMIT]);
  });
}

/**
 * A transaction whose first and last statements are sent together with its BEGIN and COMMIT: small batches then wait for the
 * server twice instead of once per statement. `work` must end with `commit`.
 */
export function joinedTransaction<T>(db: DataSource, work: (tx: JoinedTransaction) => Promise<T>): Promise<T> {
  return runJoined(db, BEGIN, work);
}

/** The same for a read-only transaction that sees the state at its beginning. */
export function readingTransaction<T>(db: DataSource, work: (tx: JoinedTransaction) => Promise<T>): Promise<T> {
  return runJoined(db, BEGIN_READING, work);
}

async function runJoined<T>(db: DataSource, begin: Step, work: (tx: JoinedTransaction) => Promise<T>): Promise<T> {
  const runner = db.createQueryRunner();
  const tx = new JoinedTransaction(runner.manager, begin);
  try {
    return await work(tx);
  } catch (error) {
    // A broken connection has nothing to roll back.
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

  /** Call it first and once. */
  async begin<const Steps extends readonly Step<object>[]>(steps: Steps) {
    const [, ...results] = await sendTogether(this.manager, [this.beginning, ...steps]);
    return results as unknown as Awaited<ReturnType<typeof sendTogether<Steps>>>;
  }

  async commit(steps: readonly Step<object>[] = []): Promise<void> {
    await sendTogether(this.manager, [...steps, COMMIT]);
  }
}
