import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/until.js';
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
  await addedUp();
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

it('counts request logs over time', async () => {
  const days = (count: number) => ({ start_time: new Date(Date.now() - count * DAY).toISOString() });
  const filter = (field: string, operator: string, value: unknown) => ({ filters: [{ field, operator, value }] });
  const rows = [
    ['a histogram of', 'logs', 'ms', 'of reading them'],
    await measureHistogram('a large workspace', {}),
    await measureHistogram('its last 30 days', days(30)),
    await measureHistogram('its last 7 days', days(7)),
    await measureHistogram('its last day', days(1)),
    await measureHistogram('its last six hours, row by row', days(0.25)),
    await measureHistogram('a model of it', model('gpt-4o')),
    await measureHistogram('what failed', filter('status', 'is', 'ERROR')),
    await measureHistogram('a tag', filter('tags', 'contains', 'tag-3')),
    await measureHistogram('a user', filter('user_id', 'is', 'user-7')),
    await measureHistogram('two conditions, row by row', {
      filters: [...model('gpt-4o').filters, ...filter('status', 'is', 'ERROR').filters],
    }),
    await measureHistogram('7 days and a number, row by row', { ...days(7), ...filter('input_tokens', 'gt', 10) }),
  ];
  printTable(`Histograms over HTTP, ${load.logs} logs stored, median of ${ROUNDS} rounds`, rows);
});

const measureHistogram = (name: string, body: object) => measure(name, load.large, body, HISTOGRAM);

/** Path of a route, and the number of logs that its answer covers. */
interface Route {
  path: string;
  logsOf: (answer: never) => number;
}
const ANALYTICS: Route = {
  path: '/api/public/v2/requests/analytics',
  logsOf: ({ totalRequests }: { totalRequests: number }) => totalRequests,
};
const HISTOGRAM: Route = {
  path: '/api/public/v2/requests/histogram',
  logsOf: ({ buckets }: { buckets: { count: number }[] }) => buckets.reduce((sum, { count }) => sum + count, 0),
};

/** Waits until all hours that have ended are added up. */
async function addedUp(): Promise<void> {
  const open = `SELECT count(*)::int AS n FROM request_hour_changes WHERE hour < date_trunc('hour', now(), 'UTC')`;
  await until(async () => (await db.query<{ n: number }>(open)).rows[0]!.n === 0, 600_000);
  await db.query('VACUUM ANALYZE request_hours');
}

/** Alternates the product and the limit, so that both meet the same moods of the machine. */
async function measure(
  name: string,
  workspace: LoadedWorkspace,
  body: object,
  { path, logsOf } = ANALYTICS,
): Promise<string[]> {
  const [times, ratios]: [number[], number[]] = [[], []];
  let requests = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const limit = await timed(() =>
      db.query('SELECT sum(price), count(metadata) FROM request_logs WHERE workspace_id = $1', [workspace.id]),
    );
    const time = await timed(async () => {
      requests = logsOf(await workspace.client.post<never>(path, body));
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
