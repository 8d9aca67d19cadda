import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { envelope } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace, type NewWorkspace } from '../support/workspaces.js';
import { benchNodeOptions, SCALE, startBenchInstallation } from './bench-installation.js';
import { count, multiplyRows } from './multiply.js';
import { explainEverything, sequentialScans, SHOWS_PLANS } from './plans.js';
import { databaseSize, machine, printTable, quantile } from './report.js';
import { type SeedSpan, seedTrace, toOtlp } from './trace-seeds.js';
import { COPIED_TRACES, copyOf } from './traces-load.js';

/** BENCH_SCALE multiplies it: 20 is a million. */
const TRACES = Math.round(50_000 * SCALE);
/** Traces per trace of the person. */
const PER_PERSON = 100;
const SPANS = 3;
const SEEDS = 200;
const PEOPLE = ['person-0001', 'person-0002'] as const;
const PATIENCE_MS = 3_000_000;

let server: Installation;
let db: pg.Client;
let where: NewWorkspace;

beforeAll(async () => {
  server = await startBenchInstallation({ ADMIN_TOKEN, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') });
  await server.start('api', benchNodeOptions);
  await server.start('worker', benchNodeOptions);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
  where = await createWorkspace(server, 'Erasure');
  await load();
}, 3_600_000);
afterAll(async () => {
  await db.end();
  await server.close();
});

/** Some traces come over HTTP, those of the people among them; they are then copied in the database, and a worker makes all of them searchable. */
async function load(): Promise<void> {
  const own = PEOPLE.map((user) => seedTrace(SPANS).map((span) => ({ ...span, user })));
  const others = Array.from({ length: SEEDS }, () => seedTrace(SPANS));
  await send([...own, ...others].flat());
  await untilSearchable();
  await multiplyRows(db, copiedTables(), { plan: () => planCopies(own.map(([first]) => first!.traceId)) });
  await db.query(
    `INSERT INTO trace_search_queue (workspace_id, trace_id, generation)
     SELECT workspace_id, trace_id, nextval('trace_search_generations') FROM traces`,
  );
  await db.query(
    'INSERT INTO request_log_search_queue (workspace_id, log_id) SELECT workspace_id, id FROM request_logs ON CONFLICT DO NOTHING',
  );
  await untilSearchable();
  await forgetMerged();
  await db.query('VACUUM (ANALYZE)');
}

const send = (spans: SeedSpan[]) => where.client.post('/v1/traces', envelope(spans.map(toOtlp)));

/** Deletes the segments that merges have left. They would stay for ten minutes and be most of the index. */
async function forgetMerged(): Promise<void> {
  await db.query('DELETE FROM search_segments WHERE merged_at IS NOT NULL');
  for (const table of ['search_postings', 'search_values']) {
    await db.query(
      `DELETE FROM ${table} o WHERE NOT EXISTS (
         SELECT FROM search_segments s WHERE s.workspace_id = o.workspace_id AND s.id = o.segment_id)`,
    );
  }
}

/** Waits until everything is indexed and the finished hours are summed. */
const untilSearchable = () =>
  until(async () => {
    const queues = ['trace_search_queue', 'request_log_search_queue'];
    const hours = ['trace_hour_changes', 'request_hour_changes'].map((name) => {
      return `(SELECT hour FROM ${name} WHERE hour < now() - interval '2 hours' LIMIT 1) ${name}`;
    });
    for (const table of [...queues, ...hours]) if ((await count(db, table)) > 0) return false;
    return true;
  }, PATIENCE_MS);

/** The copies of calls have logs of their own. */
function copiedTables() {
  const { traces, spans } = COPIED_TRACES;
  return {
    traces,
    spans: { ...spans, own: { ...spans.own, request_log_id: 'o.request_log_id + c.log_shift' } },
    request_logs: {
      key: 'trace_id',
      own: { id: 'o.id + c.log_shift', trace_id: 'c.trace_id', span_id: copyOf('o.span_id'), created_at: 'c.started' },
    },
  };
}

/** Each of the people has one of a hundred traces, spread over all of the time. */
async function planCopies(own: string[]): Promise<void> {
  await db.query('CREATE TEMPORARY SEQUENCE bench_span_ids START 1000000000 CACHE 10000');
  await db.query(
    `CREATE TABLE bench_copies AS
     SELECT $1::int AS workspace_id, number, original, md5(number::text) AS trace_id, number * 100000 AS log_shift, started,
            (extract(epoch FROM started) * 1e9)::bigint - t.start_ns AS shift_ns
       FROM (SELECT number::bigint, now() - (1 - number / $2::float8) * interval '90 days' AS started,
                    coalesce(($3::text[])[1 + number % ${PER_PERSON}], o.ids[1 + number % cardinality(o.ids)]) AS original
               FROM generate_series(1, $2::int) number,
                    (SELECT array_agg(trace_id) AS ids FROM traces WHERE workspace_id = $1 AND trace_id <> ALL ($3)) o) planned
       JOIN traces t ON t.workspace_id = $1 AND t.trace_id = original
      ORDER BY started`,
    [where.id, TRACES, own],
  );
}

interface Erasure {
  id: string;
  status: string;
  error_message: string | null;
  counts: Record<string, number>;
}

async function erase(person: string, isDryRun: boolean): Promise<{ ms: number; counts: Erasure['counts'] }> {
  const path = `/api/admin/v1/workspaces/${where.id}/erasures`;
  const start = performance.now();
  const body = { user_id: person, dry_run: isDryRun };
  let { erasure } = await where.client.post<{ erasure: Erasure }>(path, body);
  await until(async () => {
    ({ erasure } = await where.client.get<{ erasure: Erasure }>(`${path}/${erasure.id}`));
    return !['queued', 'running'].includes(erasure.status);
  }, PATIENCE_MS);
  expect([erasure.error_message, erasure.status]).toEqual([null, 'completed']);
  return { ms: performance.now() - start, counts: erasure.counts };
}

/**
 * Time of deleting the same rows by their ids in one transaction, with their triggers. The transaction is rolled back.
 */
async function deletePlainly(person: string): Promise<number> {
  const { rows } = await db.query<{ trace_id: string }>(
    `SELECT DISTINCT trace_id FROM request_logs WHERE workspace_id = $1 AND metadata->>'user_id' = $2`,
    [where.id, person],
  );
  const ids = rows.map(({ trace_id: id }) => id);
  await db.query('BEGIN');
  const start = performance.now();
  for (const table of ['request_logs', 'spans', 'traces']) {
    await db.query(`DELETE FROM ${table} WHERE workspace_id = $1 AND trace_id = ANY ($2::text[])`, [where.id, ids]);
  }
  const ms = performance.now() - start;
  await db.query('ROLLBACK');
  return ms;
}

/** Sends ten traces a second until it is stopped. Returns the time that each took. */
function keepSending(): () => Promise<number[]> {
  let isOver = false;
  const taken: number[] = [];
  const sending = (async () => {
    while (!isOver) {
      const start = performance.now();
      await send(seedTrace(SPANS));
      const ms = performance.now() - start;
      taken.push(ms);
      await wait(Math.max(0, INTERVAL_MS - ms));
    }
    return taken;
  })();
  return () => {
    isOver = true;
    return sending;
  };
}

const PAUSE_MS = 5000;
const INTERVAL_MS = 100;
const figures = (ms: number[]) => [0.5, 0.95, 1].map((share) => quantile(ms, share).toFixed(0));

it('erases a person while others send', async () => {
  const [person] = PEOPLE;
  const plain = await deletePlainly(person);
  const before = keepSending();
  await wait(PAUSE_MS);
  const alone = await before();
  const tried = await erase(person, true);
  const sending = keepSending();
  const { ms, counts } = await erase(person, false);
  const beside = await sending();
  const traces = counts.traces!;
  expect(traces).toBeGreaterThanOrEqual(TRACES / PER_PERSON);
  const row = (what: string, time: number) => [
    what,
    Math.round(time).toString(),
    (time / traces).toFixed(2),
    (time / plain).toFixed(1),
  ];
  printTable(
    `Erasing ${traces} traces with ${counts.spans} spans and ${counts.request_logs} logs among ${TRACES} traces, ${await databaseSize(db)}\n` +
      (await machine(server.databaseUrl)),
    [
      ['', 'ms', 'ms a trace', 'ratio'],
      row('DELETE of the same rows by their ids', plain),
      row('dry run', tried.ms),
      row('erasure, proof included', ms),
    ],
  );
  printTable('Sending a trace meanwhile', [
    ['', 'requests', 'ms 50 %', '95 %', 'most'],
    ['before', String(alone.length), ...figures(alone)],
    ['during the erasure', String(beside.length), ...figures(beside)],
  ]);
}, 3_600_000);

it.runIf(SHOWS_PLANS)(
  'reads tables by their indexes',
  async () => {
    let log = '';
    server.databaseOutput.on('data', (text: string) => (log += text));
    await explainEverything(db);
    await until(async () => (await fetch(`${server.url}/health/ready`)).ok);
    for (const isDryRun of [true, false]) {
      log = '';
      await erase(PEOPLE[1], isDryRun);
      const heading = ['table', 'statements', 'rows read', 'ms of these'];
      printTable(`Sequential scans of ${isDryRun ? 'a dry run' : 'an erasure'}`, [heading, ...sequentialScans(log)]);
    }
  },
  3_600_000,
);
