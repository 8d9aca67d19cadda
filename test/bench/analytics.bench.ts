import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Installation } from '../support/server-processes.js';
import { ADMIN_TOKEN } from '../support/workspaces.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { machine, median, printTable } from './report.js';
import { type LoadedWorkspace, loadRequestLogs, type SearchLoad } from './search-load.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DAY = 86_400_000;

let server: Installation;
let db: pg.Client;
let load: SearchLoad;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN, READING_TIMEOUT_MS: '120000' });
  await server.start('api', benchNodeOptions);
  await server.start('worker');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  load = await loadRequestLogs(server, db);
}, 900_000);
afterAll(async () => {
  await db.end();
  await server.close();
});

const lastDays = (days: number) => ({
  filters: [{ field: 'request_start_time', operator: 'after', value: new Date(Date.now() - days * DAY).toISOString() }],
});
const model = (value: string) => ({ filters: [{ field: 'engine', operator: 'is', value }] });

it('draws the charts over request logs', async () => {
  const rows = [
    ['charts over', 'logs', 'ms', 'of reading them'],
    await measure('a large workspace', load.large, {}),
    await measure('its last 30 days', load.large, lastDays(30)),
    await measure('its last day', load.large, lastDays(1)),
    await measure('a model of it', load.large, model('gpt-4o')),
    await measure('the costs of its users', load.large, { metadata_cost_breakdown_key: 'user_id' }),
    await measure('a small workspace', load.small, {}),
  ];
  printTable(
    `Analytics over HTTP, ${load.logs} logs stored, median of ${ROUNDS} rounds\n${await machine(server.databaseUrl)}\n` +
      `Limit: one pass over all logs of the workspace that adds up their costs.`,
    rows,
  );
});

/** Alternates the product and the limit, so that both meet the same moods of the machine. */
async function measure(name: string, workspace: LoadedWorkspace, body: object): Promise<string[]> {
  const [times, ratios]: [number[], number[]] = [[], []];
  let requests = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const limit = await timed(() =>
      db.query('SELECT sum(price), count(metadata) FROM request_logs WHERE workspace_id = $1', [workspace.id]),
    );
    const time = await timed(async () => {
      const answer = await workspace.client.post<{ totalRequests: number }>('/api/public/v2/requests/analytics', body);
      requests = answer.totalRequests;
    });
    times.push(time);
    ratios.push(limit / time);
  }
  expect(requests).toBeGreaterThan(0);
  return [name, String(requests), Math.round(median(times)).toString(), median(ratios).toFixed(2)];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
