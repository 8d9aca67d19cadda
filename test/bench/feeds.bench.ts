import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { envelope, span, traceId } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { SCALE, startBenchInstallation } from './bench-installation.js';
import { sendAll } from './http-load.js';
import { otlpBodies } from './otlp-load.js';
import { machine, median, printTable, quantile } from './report.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Feeds that read what is ingested. */
const FEEDS = 20;
const LOAD = { requests: 40, spansPerRequest: 500, clients: 2 };
/** Traces that arrive one after the other, of which a tenth is judged. */
const TRACES = Math.ceil(1000 * SCALE);
const TRACES_PER_SECOND = 100;

let server: Installation;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation();
  await server.start('api');
  await server.start('worker');
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  client = new ApiClient(server.url, server.apiKey);
});
afterAll(async () => {
  await db.end();
  await server.close();
});

const count = async (sql: string): Promise<number> => Number((await db.query<{ count: string }>(sql)).rows[0]!.count);

/** Nothing waits for search or for a feed. */
const isQuiet = () =>
  until(
    async () =>
      (await count(`SELECT (SELECT count(*) FROM trace_search_queue) + (SELECT count(*) FROM request_log_search_queue)
        + (SELECT count(*) FROM feeds f, arrivals a WHERE a.kind = f.source AND a.seq > f.position) AS count`)) === 0,
  );

/** Spans a second until the commit. */
async function ingest(): Promise<number> {
  const bodies = otlpBodies('json', LOAD.requests, LOAD.spansPerRequest);
  const headers = { 'x-api-key': server.apiKey, 'content-type': 'application/json' };
  const { elapsedMs } = await sendAll({ url: `${server.url}/v1/traces`, headers }, bodies, LOAD.clients);
  return (LOAD.requests * LOAD.spansPerRequest) / (elapsedMs / 1000);
}

const pauseAll = (state: string) => db.query(`UPDATE feeds SET state = $1`, [state]);

it('takes in spans as fast with feeds as without', async () => {
  await ingest();
  await isQuiet();
  const without: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(await ingest());
    await isQuiet();
  }
  for (let feed = 0; feed < FEEDS; feed++) {
    const sheet = await client.createSheet(`feed ${feed}`);
    const source = feed % 2 === 0 ? 'requests' : 'traces';
    await client.post(`${sheet.path}/feeds`, { name: 'Some', source, sample_rate: 0.01, quiet_seconds: 1 });
  }
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    beside.push(await ingest());
    await isQuiet();
  }
  printTable(`Ingestion with ${FEEDS} feeds, median of ${ROUNDS} rounds\n${await machine(server.databaseUrl)}`, [
    ['feeds', 'spans/s', 'of none'],
    ['0', Math.round(median(without)).toString(), '1.00'],
    [String(FEEDS), Math.round(median(beside)).toString(), (median(beside) / median(without)).toFixed(2)],
  ]);
  await pauseAll('paused');
});

it('judges a trace soon after it was closed', async () => {
  const sheet = await client.createSheet('judged');
  const length = { title: 'Length', type: 'COUNT', config: { source: 'trace_id', type: 'chars' } };
  const feed = { name: 'A tenth', source: 'traces', sample_rate: 0.1, filter_group: named('judged') };
  await client.post(`${sheet.path}/feeds`, feed);
  await client.post(`${sheet.path}/columns`, length);
  const start = performance.now();
  const ids: string[] = [];
  for (let n = 0; n < TRACES; n++) {
    const due = start + (n * 1000) / TRACES_PER_SECOND;
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    ids.push(await sendClosed());
  }
  await isQuiet();
  await client.untilComputed(sheet);
  const { rows } = await db.query<{ ms: number }>(
    `SELECT extract(epoch FROM judged.updated_at - t.closed_at) * 1000 AS ms
       FROM cells id JOIN sheet_columns i ON i.key = id.column_key AND i.title = 'trace_id' AND i.sheet_id = $1
       JOIN sheet_columns l ON l.sheet_id = i.sheet_id AND l.title = 'Length'
       JOIN cells judged ON judged.column_key = l.key AND judged.row_index = id.row_index
       JOIN traces t ON t.trace_id = id.value #>> '{}'`,
    [sheet.id],
  );
  const times = rows.map(({ ms }) => Number(ms));
  expect(times.length).toBeGreaterThan(TRACES / 20);
  const seconds = (performance.now() - start) / 1000;
  printTable(`From the close of a trace to its cells, ${TRACES} traces in ${seconds.toFixed(0)} s`, [
    ['traces judged', 'p50 ms', 'p95 ms', 'max ms'],
    [String(times.length), ...[0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(0))],
  ]);
});

const named = (name: string) => ({ filters: [{ field: 'trace_name', operator: 'is', value: name }] });

async function sendClosed(): Promise<string> {
  const id = traceId();
  await client.post('/v1/traces', envelope([span({ traceId: id, name: 'judged' })]));
  await client.post(`/api/public/v2/traces/${id}/close`, {});
  return id;
}
