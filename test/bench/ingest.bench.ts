import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Installation } from '../support/server-processes.js';
import { benchNodeOptions, recycleLogFiles, startBenchInstallation } from './bench-installation.js';
import { CopyLimit } from './copy-limit.js';
import { type LoadResult, sendAll, type Target } from './http-load.js';
import { type Format, otlpBodies } from './otlp-load.js';
import { machine, median, printTable, quantile } from './report.js';

setFlagsFromString('--expose-gc');
/** Collects the garbage of earlier requests, which would otherwise be collected while the server answers. */
const collectGarbage = runInNewContext('gc') as () => void;

interface Load {
  format: Format;
  clients: number;
  requests: number;
  spansPerRequest: number;
}

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONTENT_TYPE = { json: 'application/json', protobuf: 'application/x-protobuf' };
/**
 * Enough requests to neglect that nothing is written while the first is read, and nothing read while the last is
 * written.
 */
const LARGE = { requests: 60, spansPerRequest: 500 };
/**
 * Enough requests to keep the first ones, with which all clients begin at once, a small part of the slowest hundredth.
 */
const SMALL = { requests: 10_000, spansPerRequest: 10 };
const LIMIT = { ...LARGE, requests: 20 };
const LIMIT_SPANS = LIMIT.requests * LIMIT.spansPerRequest;

const LOADS: Load[] = [
  { format: 'json', clients: 2, ...LARGE },
  { format: 'json', clients: 4, ...LARGE },
  { format: 'protobuf', clients: 2, ...LARGE },
  { format: 'protobuf', clients: 4, ...LARGE },
  { format: 'json', clients: 32, ...SMALL },
  { format: 'protobuf', clients: 32, ...SMALL },
];
const IDLE: Load = { format: 'json', clients: 1, requests: 200, spansPerRequest: 10 };

const PLAIN: Load = { format: 'json', clients: 32, ...SMALL };

/** Path to send spans to, and the table that stores them. */
interface Receiver extends Target {
  table: string;
}

interface Measured {
  load: Load;
  receiver: Receiver;
  speeds: number[];
  ratios: number[];
  /** Milliseconds of every request. */
  latencies: number[];
}

const measured = (load: Load, receiver: Receiver): Measured => ({
  load,
  receiver,
  speeds: [],
  ratios: [],
  latencies: [],
});

let server: Installation;
let db: pg.Client;
let product: Receiver;
let plainServer: ChildProcess | undefined;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api', benchNodeOptions);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  await recycleLogFiles(db);
  product = { url: `${server.url}/v1/traces`, headers: { 'x-api-key': server.apiKey }, table: 'spans' };
});
afterAll(async () => {
  plainServer?.disconnect();
  await db.end();
  await server.close();
});

it('takes in OTLP spans durably', async () => {
  await warmUp();
  const limit = await measureLimitRows();
  const loads = [...LOADS.map((load) => measured(load, product)), measured(PLAIN, await startPlainServer())];
  await measureAll(loads, limit);
  const rows = [['format', 'clients x spans', 'spans/s', 'of COPY', 'p50 ms', 'p99 ms'], ...loads.map(rowOf)];
  const idle = await run(IDLE, product);
  rows.push([IDLE.format, '1 x 10 (idle)', '', '', ...percentiles(idle.latencies)]);
  printTable(
    `Ingestion: OTLP over HTTP until the commit, client on the same machine, ${LARGE.requests * LARGE.spansPerRequest} or ${PLAIN.requests * PLAIN.spansPerRequest} spans a round, ` +
      `median of ${ROUNDS} rounds\n${await machine(server.databaseUrl)}\n` +
      `Limit: COPY of the same ${limit.rows} rows (${Math.round(limit.bytes / 1024 ** 2)} MiB; spans, traces, request logs) without indexes.\n` +
      'Plain server: one that only parses the requests and inserts their spans, for what this machine makes possible.',
    rows,
  );
  await limit.close();
});

async function warmUp(): Promise<void> {
  await run({ format: 'json', clients: 4, requests: 10, spansPerRequest: 500 }, product);
  await run({ format: 'protobuf', clients: 4, requests: 10, spansPerRequest: 500 }, product);
  await run({ format: 'json', clients: 32, requests: 1000, spansPerRequest: 10 }, product);
}

/** The rows of one round, as the product stores them. */
async function measureLimitRows(): Promise<CopyLimit> {
  const { rows } = await db.query<{ id: string }>('SELECT max(id) AS id FROM spans');
  await run({ format: 'json', clients: 2, ...LIMIT }, product);
  const where = `id > ${rows[0]!.id}`;
  const newTraces = `trace_id IN (SELECT trace_id FROM spans WHERE ${where})`;
  return CopyLimit.of(server.databaseUrl, [
    { table: 'traces', where: newTraces },
    { table: 'spans', where },
    { table: 'request_logs', where: newTraces },
  ]);
}

/** A round of each load in turn, each after one of the limit, so that all meet the same moods of the machine. */
async function measureAll(loads: Measured[], limit: CopyLimit): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    for (const { load, receiver, speeds, ratios, latencies } of loads) {
      const spans = load.requests * load.spansPerRequest;
      const limitMs = (await limit.run()) * (spans / LIMIT_SPANS);
      const result = await run(load, receiver);
      speeds.push(spans / (result.elapsedMs / 1000));
      ratios.push(limitMs / result.elapsedMs);
      latencies.push(...result.latencies);
    }
  }
}

function rowOf({ load, receiver, speeds, ratios, latencies }: Measured): string[] {
  return [
    receiver === product ? load.format : 'plain server',
    `${load.clients} x ${load.spansPerRequest}`,
    Math.round(median(speeds)).toString(),
    median(ratios).toFixed(2),
    ...percentiles(latencies),
  ];
}

function percentiles(latencies: number[]): string[] {
  return [quantile(latencies, 0.5).toFixed(1), quantile(latencies, 0.99).toFixed(1)];
}

/** Sends new spans and makes sure that each of them was stored. */
async function run(load: Load, { url, headers, table }: Receiver): Promise<LoadResult> {
  const bodies = otlpBodies(load.format, load.requests, load.spansPerRequest);
  const target = { url, headers: { ...headers, 'content-type': CONTENT_TYPE[load.format] } };
  const before = await countRows(table);
  collectGarbage();
  const result = await sendAll(target, bodies, load.clients);
  expect((await countRows(table)) - before).toBe(load.requests * load.spansPerRequest);
  return result;
}

async function countRows(table: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return rows[0]!.count;
}

async function startPlainServer(): Promise<Receiver> {
  const env = { ...process.env, DATABASE_URL: server.databaseUrl };
  plainServer = fork(fileURLToPath(new URL('plain-server.mjs', import.meta.url)), { env });
  const [port] = (await once(plainServer, 'message')) as [number];
  return { url: `http://127.0.0.1:${port}/v1/traces`, headers: {}, table: 'plain_spans' };
}
