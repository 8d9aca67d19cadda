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

/** Holds a lock, begins `work`, and takes another lock once somebody waits for the first. */
export async function between(
  app: TestApp,
  first: (tx: EntityManager) => Promise<unknown>,
  work: () => Promise<unknown>,
  second: (tx: EntityManager) => Promise<unknown>,
): Promise<void> {
  let working: Promise<unknown> | undefined;
  await app.app.get(DataSource).transaction(async (tx) => {
    await first(tx);
    const [{ pid }] = await tx.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
    const waits = 'SELECT FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))';
    working ??= work();
    await until(async () => (await app.sql(waits, [pid])).length > 0);
    await second(tx);
  });
  await working;
}
