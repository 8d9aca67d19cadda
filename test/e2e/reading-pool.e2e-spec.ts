import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EntityManager } from 'typeorm';
import { ReadingPool } from '../../src/platform/database/reading-pool.js';
import { withinMoment } from '../../src/platform/database/within-time.js';
import { TestApp } from '../support/test-app.js';

let app: TestApp;
let pool: ReadingPool;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { READING_POOL: '1', READING_TIMEOUT_MS: '3000' } });
  pool = app.app.get(ReadingPool);
});
afterAll(() => app.stop());

const countWorkspaces = async (tx: EntityManager) => {
  const [row] = await tx.query<{ count: number }[]>('SELECT count(*)::int AS count FROM workspaces');
  return row!.count;
};

it('shows one moment to all statements of a read, whatever is written meanwhile', async () => {
  const [before, after] = await pool.read(async (tx) => {
    const first = await countWorkspaces(tx);
    await app.stranger();
    return [first, await countWorkspaces(tx)];
  });
  expect(after).toBe(before);
  expect(await pool.read(countWorkspaces)).toBe(before! + 1);
});

it('refuses to write', async () => {
  const write = pool.read((tx) => tx.query('DELETE FROM request_logs'));
  await expect(write).rejects.toMatchObject({ driverError: { code: '25006' } });
});

it('ends a statement that takes too long, and says what to do', async () => {
  await expect(pool.read((tx) => tx.query('SELECT pg_sleep(60)'))).rejects.toMatchObject({
    status: 503,
    code: 'reading_timeout',
    message: expect.stringContaining('longer than 3000 ms'),
  });
});

it('has its own limits again after a read that had only a moment', async () => {
  await pool.read(async (tx) => {
    const settings = () => tx.query('SELECT name, setting FROM pg_settings ORDER BY name');
    const before = await settings();
    expect(await withinMoment(tx, 500, countWorkspaces)).toBeGreaterThan(0);
    expect(await settings()).toEqual(before);
    expect(await withinMoment(tx, 20, (inner) => inner.query('SELECT pg_sleep(60)'))).toBeNull();
    expect(await settings()).toEqual(before);
  });
});

it('answers charts that take too long with advice', async () => {
  const charts = '/api/public/v2/requests/analytics';
  await app.inTransaction(async (sql) => {
    await sql('LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE');
    expect(await app.client.request('POST', charts, {})).toMatchObject({
      status: 503,
      headers: { 'retry-after': '30' },
      body: { error: 'reading_timeout', message: expect.stringContaining('Narrow the time range') },
    });
  });
  expect(await app.client.post(charts, {})).toMatchObject({ totalRequests: 0 });
});

it('answers 503 after waiting in vain for a connection, while other requests continue', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const reading = pool.read(async (tx) => {
    await countWorkspaces(tx);
    await released;
    return countWorkspaces(tx);
  });
  await expect(pool.read(countWorkspaces)).rejects.toMatchObject({ status: 503, code: 'reading_busy' });
  await app.client.get('/api/public/v2/tables');
  release();
  expect(await reading).toBeGreaterThan(0);
});
