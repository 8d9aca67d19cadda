import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { envelope, span, traceId } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace, type NewWorkspace } from '../support/workspaces.js';
import { benchNodeOptions, recycleLogFiles, SCALE, startBenchInstallation } from './bench-installation.js';
import { CopyLimit } from './copy-limit.js';
import { sendAll } from './http-load.js';
import { otlpBodies } from './otlp-load.js';
import { machine, median, printTable, quantile } from './report.js';

/** Pairs of rounds, one of each workspace. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Feeds that read what is ingested. */
const FEEDS = 20;
const LOAD = { requests: Math.ceil(40 * SCALE), spansPerRequest: 500, clients: 2 };
const SPANS = LOAD.requests * LOAD.spansPerRequest;
/** Traces of which a tenth is judged. */
const TRACES = Math.ceil(2000 * SCALE);
const TRACES_PER_SECOND = 100;
/** Traces of one request of the application. */
const TOGETHER = 10;
/** Requests under way at the same time: on a machine that is too slow for the rate, it falls. */
const CLIENTS = 8;

let server: Installation;
let db: pg.Client;
let client: ApiClient;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN });
  await server.start('api', benchNodeOptions);
  await server.start('worker', benchNodeOptions);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  await recycleLogFiles(db);
  client = new ApiClient(server.url, server.apiKey);
});
afterAll(async () => {
  await db.end();
  await server.close();
});

const count = async (sql: string): Promise<number> => Number((await db.query<{ count: string }>(sql)).rows[0]!.count);

/** Waits until no trace is left for search or for a feed. */
const isQuiet = () =>
  until(
    async () =>
      (await count(`SELECT (SELECT count(*) FROM trace_search_queue) + (SELECT count(*) FROM request_log_search_queue)
        + (SELECT count(*) FROM open_traces WHERE arrived_waits = '{}')
        + (SELECT count(*) FROM feeds f JOIN arrivals a ON a.workspace_id = f.workspace_id AND a.kind = f.source
            WHERE f.state = 'active' AND a.seq > f.position) AS count`)) === 0,
  );

/** Sends new spans to a workspace; gives the milliseconds until the last commit. */
async function ingest({ apiKey }: Pick<NewWorkspace, 'apiKey'>): Promise<number> {
  const bodies = otlpBodies('json', LOAD.requests, LOAD.spansPerRequest);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const { elapsedMs } = await sendAll({ url: `${server.url}/v1/traces`, headers }, bodies, LOAD.clients);
  return elapsedMs;
}

/** The rows of one round, as the product stores them. */
async function limitOf(workspace: NewWorkspace): Promise<CopyLimit> {
  const [before] = (await db.query<{ id: string }>('SELECT coalesce(max(id), 0) AS id FROM spans')).rows;
  await ingest(workspace);
  const where = `id > ${before!.id}`;
  const newTraces = `trace_id IN (SELECT trace_id FROM spans WHERE ${where})`;
  return CopyLimit.of(server.databaseUrl, [
    { table: 'traces', where: newTraces },
    { table: 'spans', where },
    { table: 'request_logs', where: newTraces },
  ]);
}

async function addFeeds({ client: owner }: NewWorkspace): Promise<void> {
  for (let feed = 0; feed < FEEDS; feed++) {
    const sheet = await owner.createSheet(`feed ${feed}`);
    const source = feed % 2 === 0 ? 'requests' : 'traces';
    await owner.post(`${sheet.path}/feeds`, { name: 'Some', source, sample_rate: 0.01, quiet_seconds: 1 });
  }
}

interface Measured {
  name: string;
  workspace: NewWorkspace;
  speeds: number[];
  ratios: number[];
}

it('takes in spans as fast with feeds as without', async () => {
  const rows: Measured[] = [];
  for (const name of ['0', String(FEEDS)]) {
    rows.push({ name, workspace: await createWorkspace(server, name), speeds: [], ratios: [] });
  }
  const [plain, fed] = rows as [Measured, Measured];
  await addFeeds(fed.workspace);
  const limit = await limitOf(plain.workspace);
  await ingest(fed.workspace);
  for (let round = 0; round < ROUNDS; round++) {
    // The order of the two alternates.
    for (const each of round % 2 === 0 ? [plain, fed] : [fed, plain]) {
      await isQuiet();
      const limitMs = await limit.run();
      const elapsedMs = await ingest(each.workspace);
      each.speeds.push(SPANS / (elapsedMs / 1000));
      each.ratios.push(limitMs / elapsedMs);
    }
  }
  const pairs = fed.ratios.map((ratio, round) => ratio / plain.ratios[round]!);
  printTable(
    `Ingestion beside a worker, a workspace with ${FEEDS} feeds in turn with one without, medians of ${ROUNDS} pairs of ${SPANS} spans\n${await machine(server.databaseUrl)}`,
    [
      ['feeds', 'spans/s', 'of COPY', 'of its pair'],
      ...rows.map(({ name, speeds, ratios }) => [
        name,
        Math.round(median(speeds)).toString(),
        median(ratios).toFixed(3),
        name === '0' ? '' : `${median(pairs).toFixed(3)} (${pairs.map((pair) => pair.toFixed(2)).join(', ')})`,
      ]),
    ],
  );
  await limit.close();
  await isQuiet();
  await db.query(`UPDATE feeds SET state = 'paused'`);
});

it('judges a trace soon after it was closed', async () => {
  const sheet = await client.createSheet('judged');
  const length = { title: 'Length', type: 'COUNT', config: { source: 'trace_id', type: 'chars' } };
  const feed = { name: 'A tenth', source: 'traces', sample_rate: 0.1, filter_group: named('judged') };
  await client.post(`${sheet.path}/feeds`, feed);
  await client.post(`${sheet.path}/columns`, length);
  const start = performance.now();
  let next = 0;
  const application = async () => {
    for (let n = next++; n * TOGETHER < TRACES; n = next++) {
      const early = start + (n * TOGETHER * 1000) / TRACES_PER_SECOND - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      await sendClosed(TOGETHER);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, application));
  const seconds = (performance.now() - start) / 1000;
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
  printTable(
    `From the close of a trace to its cells, ${TRACES} traces in ${seconds.toFixed(0)} s, of which a tenth is judged`,
    [
      ['traces judged', 'p50 ms', 'p95 ms', 'max ms'],
      [String(times.length), ...[0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(0))],
    ],
  );
});

const named = (name: string) => ({ filters: [{ field: 'trace_name', operator: 'is', value: name }] });

/** Traces that one request sends, and others close one after the other. */
async function sendClosed(traces: number): Promise<void> {
  const ids = Array.from({ length: traces }, traceId);
  await client.post('/v1/traces', envelope(ids.map((id) => span({ traceId: id, name: 'judged' }))));
  for (const id of ids) await client.post(`/api/public/v2/traces/${id}/close`, {});
}
