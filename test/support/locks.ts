import { DataSource, type EntityManager } from 'typeorm';
import type { TestApp } from './test-app.js';
import { until } from './until.js';

/** Number of transactions that wait for a lock of another one. */
export async function waitingForLocks(app: TestApp): Promise<number> {
  const found = await app.sql(
    `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE NOT l.granted AND a.datname = current_database()`,
  );
  return found.length;
}

/** Holds a lock, begins `work`, and takes another lock once `work` waits for the first. */
export async function between(
  app: TestApp,
  first: (tx: EntityManager) => Promise<unknown>,
  work: () => Promise<unknown>,
  second: (tx: EntityManager) => Promise<unknown>,
): Promise<void> {
  let working: Promise<unknown> | undefined;
  await app.app.get(DataSource).transaction(async (tx) => {
    await first(tx);
    working ??= work();
    await until(async () => (await waitingForLocks(app)) > 0);
    await second(tx);
  });
  await working;
}
