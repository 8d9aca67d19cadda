import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { OneWorker, SHORT_LEASES, startFaultInstallation } from './fault-installation.js';
import { CALLS_PER_TRACE, OTLP, RequestLoad } from './request-load.js';

let server: Installation;
let client: ApiClient;
let load: RequestLoad;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation(SHORT_LEASES));
});
afterAll(() => server.close());
afterEach(() => load.abandon());

deepIt(
  'counts every acknowledged call, once, although workers and PostgreSQL are killed while they add up',
  async () => {
    load = new RequestLoad(server, OTLP);
    for (let kill = 0; kill < 3; kill++) {
      const current = await worker.running();
      const before = load.acknowledged.length;
      await until(async () => load.acknowledged.length > before + 20 && (await sumsOf('request')) > 0);
      await (kill === 1 ? server.killPostgres() : current.kill());
      if (kill === 1) await server.startPostgres();
      // Calls that are neither summed nor noted as changed would be missing here.
      await expectAllCounted();
    }
    await load.finish();
    await worker.running();
    await until(async () => (await notesOf('request')) + (await notesOf('trace')) === 0);
    const calls = load.acknowledged.length * CALLS_PER_TRACE;
    expect(await countOf('requests')).toBeGreaterThanOrEqual(calls);
    await expectAllCounted();
    expect([await sumsOf('request'), await sumsOf('trace')]).toEqual([
      await countOf('requests'),
      await countOf('traces'),
    ]);
  },
);

/** Expects that the counted items lie between the stored ones before and after the count. */
async function expectAllCounted(): Promise<void> {
  for (const [path, table] of [
    ['requests', 'request_logs'],
    ['traces', 'traces'],
  ] as const) {
    const before = await ask(`SELECT count(*) AS n FROM ${table}`);
    const counted = await countOf(path);
    expect(counted).toBeGreaterThanOrEqual(before);
    expect(counted).toBeLessThanOrEqual(await ask(`SELECT count(*) AS n FROM ${table}`));
  }
}

async function countOf(path: string): Promise<number> {
  const day = { start_time: '2026-05-28', end_time: '2026-05-29' };
  const { buckets } = await client.post<{ buckets: { count: number }[] }>(`/api/public/v2/${path}/histogram`, day);
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

const notesOf = (name: string): Promise<number> => ask(`SELECT count(*) AS n FROM ${name}_hour_changes`);
const sumsOf = (name: string): Promise<number> =>
  ask(`SELECT coalesce(sum(count), 0) AS n FROM ${name}_hours WHERE facet = ''`);

async function ask(sql: string): Promise<number> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  try {
    return Number((await db.query<{ n: string }>(sql)).rows[0]!.n);
  } finally {
    await db.end();
  }
}
