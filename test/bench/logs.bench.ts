import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN } from '../support/workspaces.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { CopyLimit, type Selected } from './copy-limit.js';
import { cpuSeconds, parentOf } from './cpu-time.js';
import { type LoadResult, sendAll } from './http-load.js';
import { callsAsSpans, loggedCalls } from './log-load.js';
import { machine, median, printTable, quantile } from './report.js';
import { loadRequestLogs, type SearchLoad } from './search-load.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SCALE = Number(process.env.BENCH_SCALE ?? 0.1);
/** Logs that wait for the worker in a round. */
const QUEUED = Math.max(2000, Math.round(80_000 * SCALE));

/** One way by which logs come. */
interface Load {
  name: string;
  path: string;
  clients: number;
  logs: number;
  bodies: () => Buffer[];
  /** Rows that the product stores for logs after this moment, a timestamp in SQL. */
  stored: (since: string) => Selected[];
}

let server: Installation;
let worker: ProductProcess;
let db: pg.Client;
let load: SearchLoad;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN });
  await server.start('api', benchNodeOptions);
  worker = await server.start('worker', benchNodeOptions);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  load = await loadRequestLogs(server, db, SCALE);
  standStill();
}, 1_800_000);
afterAll(async () => {
  goOn();
  await db.end();
  await server.close();
});

// It stays as warm as a worker usually is, which one that was started for each round would not be.
const standStill = () => process.kill(worker.pid, 'SIGSTOP');
const goOn = () => process.kill(worker.pid, 'SIGCONT');

const calls: Load = {
  name: 'POST /log-request',
  path: '/log-request',
  clients: 32,
  logs: 2000,
  bodies: () => loggedCalls(2000),
  stored: (since) => [{ table: 'request_logs', where: `created_at > ${since}` }],
};
const spans: Load = {
  name: 'spans, 500 a request',
  path: '/v1/traces',
  clients: 4,
  logs: 4000,
  bodies: () => callsAsSpans(8, 500, load.large.prompts),
  stored: (since) => {
    const logs = `created_at > ${since}`;
    const traces = `trace_id IN (SELECT trace_id FROM request_logs WHERE ${logs})`;
    return [
      { table: 'traces', where: traces },
      { table: 'spans', where: traces },
      { table: 'request_logs', where: logs },
    ];
  },
};

it('takes in request logs durably', async () => {
  const rows = [['logs come by', 'clients', 'logs/s', 'of COPY', 'MiB of COPY', 'p50 ms', 'p99 ms']];
  for (const way of [calls, spans]) rows.push(await measureIntake(way));
  printTable(
    `Request logs until the commit, into a workspace of ${load.large.logs} of ${load.logs} logs with ` +
      `${await countIndexes()} indexes; nobody reads or indexes texts meanwhile, median of ${ROUNDS} rounds\n` +
      `${await machine(server.databaseUrl)}\n` +
      `Limit: COPY of the same rows without indexes: request logs, and for spans also spans and traces.`,
    rows,
  );
});

it('indexes the texts of request logs', async () => {
  await drainQueue();
  // Otherwise the autovacuum would run meanwhile and count as work of the index.
  await db.query('VACUUM ANALYZE');
  const rounds: Projection[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureProjection());
  const of = (pick: (round: Projection) => number) => Math.round(median(rounds.map(pick))).toString();
  printTable(
    `Text index: ${QUEUED} queued logs until the queue is empty, one worker, ` +
      `median of ${ROUNDS} rounds\n${await machine(server.databaseUrl)}`,
    [
      ['logs/s', 'per core', 'worker, % of a core', 'PostgreSQL, % of a core'],
      [
        of(({ logs, seconds }) => logs / seconds),
        of(({ logs, workerCpu, postgresCpu }) => logs / (workerCpu + postgresCpu)),
        of(({ workerCpu, seconds }) => (100 * workerCpu) / seconds),
        of(({ postgresCpu, seconds }) => (100 * postgresCpu) / seconds),
      ],
    ],
  );
});

/** Alternates the product and the limit, so that both meet the same moods of the machine. */
async function measureIntake(way: Load): Promise<string[]> {
  const { rows } = await db.query<{ now: string }>(`SELECT quote_literal(clock_timestamp()) AS now`);
  await run(way);
  const limit = await CopyLimit.of(server.databaseUrl, way.stored(rows[0]!.now));
  await limit.run();
  const speeds: number[] = [];
  const ratios: number[] = [];
  const latencies: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const limitMs = await limit.run();
    const result = await run(way);
    speeds.push(way.logs / (result.elapsedMs / 1000));
    ratios.push(limitMs / result.elapsedMs);
    latencies.push(...result.latencies);
  }
  const size = Math.round(limit.bytes / 1024 ** 2);
  await limit.close();
  return [
    way.name,
    String(way.clients),
    Math.round(median(speeds)).toString(),
    median(ratios).toFixed(2),
    String(size),
    quantile(latencies, 0.5).toFixed(1),
    quantile(latencies, 0.99).toFixed(1),
  ];
}

/** Sends new logs and makes sure that each of them was stored. */
async function run(way: Load): Promise<LoadResult> {
  const before = await countLogs();
  const result = await send(way.path, way.bodies(), way.clients);
  expect((await countLogs()) - before).toBe(way.logs);
  return result;
}

function send(path: string, bodies: Buffer[], clients: number): Promise<LoadResult> {
  const headers = { 'content-type': 'application/json', 'x-api-key': load.large.apiKey };
  return sendAll({ url: server.url + path, headers }, bodies, clients);
}

interface Projection {
  logs: number;
  seconds: number;
  /** Seconds of processor time. */
  workerCpu: number;
  postgresCpu: number;
}

async function measureProjection(): Promise<Projection> {
  await send(calls.path, loggedCalls(QUEUED), calls.clients);
  const logs = await countQueued();
  const postgres = await postmaster();
  const [workerBefore, postgresBefore, start] = [cpuSeconds(worker.pid), cpuSeconds(postgres), performance.now()];
  await drainQueue();
  return {
    logs,
    seconds: (performance.now() - start) / 1000,
    workerCpu: cpuSeconds(worker.pid) - workerBefore,
    postgresCpu: cpuSeconds(postgres) - postgresBefore,
  };
}

/** Lets the worker work until no log waits, and no trace, which come with the logs of spans. */
async function drainQueue(): Promise<void> {
  goOn();
  await until(async () => (await countQueued()) === 0, 300_000);
  standStill();
}

async function postmaster(): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return parentOf(rows[0]!.pid);
}

const countLogs = () => count(`SELECT count(*)::int AS count FROM request_logs`);
const countQueued = () =>
  count(
    `SELECT (SELECT count(*) FROM request_log_search_queue)::int + (SELECT count(*) FROM trace_search_queue)::int AS count`,
  );
const countIndexes = () =>
  count(`SELECT count(*)::int AS count FROM pg_index WHERE indrelid = 'request_logs'::regclass`);

async function count(query: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(query);
  return rows[0]!.count;
}
