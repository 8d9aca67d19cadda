import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiClient } from '../support/api-client.js';
import { envelope } from '../support/otlp.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { benchNodeOptions, startBenchInstallation } from './bench-installation.js';
import { cpuSeconds, parentOf } from './cpu-time.js';
import { count } from './multiply.js';
import { machine, median, printTable } from './report.js';
import { type SeedSpan, seedTrace, toOtlp } from './trace-seeds.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const LONG_TRACE = 10_000;
const TRACES = 1380;
const SPANS_OF_TRACE = 15;
const SPANS_PER_REQUEST = 2500;

let server: Installation;
let api: ProductProcess;
let worker: ProductProcess;
let client: ApiClient;
let db: pg.Client;
let postgres: number;

beforeAll(async () => {
  server = await startBenchInstallation({ SWEEP_INTERVAL_MS: '1000' });
  api = await server.start('api', benchNodeOptions);
  worker = await server.start('worker', benchNodeOptions);
  client = new ApiClient(server.url, server.apiKey);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  postgres = parentOf((await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid);
});
afterAll(async () => {
  goOn();
  await db.end();
  await server.close();
});

const standStill = () => process.kill(worker.pid, 'SIGSTOP');
const goOn = () => process.kill(worker.pid, 'SIGCONT');

async function send(seeds: SeedSpan[]): Promise<void> {
  for (let from = 0; from < seeds.length; from += SPANS_PER_REQUEST) {
    await client.post('/v1/traces', envelope(seeds.slice(from, from + SPANS_PER_REQUEST).map(toOtlp)));
  }
}

/** Milliseconds of the processor and by the clock. */
async function measured(process: ProductProcess, work: () => Promise<void>): Promise<[string, number][]> {
  const before = [cpuSeconds(process.pid), cpuSeconds(postgres), performance.now()] as const;
  await work();
  return [
    ['Node', 1000 * (cpuSeconds(process.pid) - before[0])],
    ['PostgreSQL', 1000 * (cpuSeconds(postgres) - before[1])],
    ['clock', performance.now() - before[2]],
  ];
}

/** Logs of calls wait: their index is another one. */
async function makeSearchable(): Promise<void> {
  await db.query('DELETE FROM request_log_search_queue');
  await db.query('UPDATE trace_search_queue SET due_at = now()');
  goOn();
  await until(async () => (await count(db, 'trace_search_queue')) === 0, 600_000);
  standStill();
}

/** Median time of each part over all rounds, per span. */
function row(what: string, rounds: [string, number][][], spans: number): string[] {
  const parts = rounds[0]!.map((_, part) => median(rounds.map((round) => round[part]![1])) / spans);
  return [what, ...parts.map((ms) => ms.toFixed(3))];
}

it('makes traces searchable', async () => {
  await until(async () => (await count(db, 'trace_search_queue')) === 0, 60_000);
  await until(async () => (await count(db, 'request_log_search_queue')) === 0, 60_000);
  const reads: number[] = [];
  const rows = [['ms a span', 'Node', 'PostgreSQL', 'clock']];
  const [first, long, small]: [string, number][][][] = [[], [], []];
  standStill();
  for (let round = 0; round < ROUNDS; round++) {
    const trace = seedTrace(LONG_TRACE);
    await send(trace);
    first!.push(await measured(api, async () => void reads.push(await timeOf(trace[0]!.traceId))));
    await makeSearchable();
    long!.push(await measured(worker, makeSearchableAgain(trace[0]!.traceId)));
    await send(Array.from({ length: TRACES }, () => seedTrace(SPANS_OF_TRACE)).flat());
    small!.push(await measured(worker, makeSearchable));
  }
  rows.push(row(`one trace of ${LONG_TRACE} spans is read before a worker comes to it`, first!, LONG_TRACE));
  rows.push(row('… and made searchable once more', long!, LONG_TRACE));
  rows.push(row(`${TRACES} traces of ${SPANS_OF_TRACE} spans`, small!, TRACES * SPANS_OF_TRACE));
  printTable(
    `Search of traces is written, ${ROUNDS} rounds; a long trace was read at first in ${reads.map((ms) => ms.toFixed(0)).join(', ')} ms\n` +
      `${await machine(server.databaseUrl)}`,
    rows,
  );
});

const makeSearchableAgain = (traceId: string) => async () => {
  await db.query('DELETE FROM span_search WHERE trace_id = $1', [traceId]);
  await db.query(
    `INSERT INTO trace_search_queue (workspace_id, trace_id, generation)
     SELECT workspace_id, trace_id, nextval('trace_search_generations') FROM traces WHERE trace_id = $1`,
    [traceId],
  );
  await makeSearchable();
};

async function timeOf(traceId: string): Promise<number> {
  const start = performance.now();
  const response = await client.send('GET', `/api/public/v2/traces/${traceId}?view=skeleton`);
  const { spans } = (await response.json()) as { spans: unknown[] };
  expect(spans).toHaveLength(LONG_TRACE);
  return performance.now() - start;
}
