import type pg from 'pg';
import type { ApiClient } from '../support/api-client.js';
import { envelope } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { createWorkspace } from '../support/workspaces.js';
import { SCALE } from './bench-installation.js';
import { type Copied, count, multiplyRows } from './multiply.js';
import { type Vocabulary, vocabularyOf } from './search-prose.js';
import { DAYS, type SeedSpan, seedTrace, SESSION, toOtlp } from './trace-seeds.js';

/** Spans by workspace: one large, one of a middle size, and small ones. They add up to two millions. */
const SHARES = [1_600_000, 280_000, ...Array<number>(5).fill(20_000), ...Array<number>(10).fill(2000)];
/** Traces have 10 to 20 spans. */
const SPANS = { least: 10, different: 11, average: 15 };
/** Traces that are sent: a tenth of those that a workspace shall have, within these limits. */
const SEEDS = { least: 10, most: 500, share: 10 };
/** Traces per failed trace. */
const FAILING = 8;
export const LONG_TRACE = 10_000;
const SPANS_PER_REQUEST = 2500;

export interface TracedWorkspace {
  id: number;
  client: ApiClient;
  traces: number;
  /** The spans that were sent over HTTP; every other one is a copy. */
  seeds: SeedSpan[];
  vocabulary: Vocabulary;
}

export interface TraceLoad {
  large: TracedWorkspace;
  small: TracedWorkspace;
  spans: number;
  /**
   * A trace of 10,000 spans. It is in a workspace that is not searched: the index holds only a part of so many values,
   * so that most searches have to look at all of its spans.
   */
  long: { client: ApiClient; traceId: string };
}

/**
 * Fills an installation with two million spans of about 700 characters of text. Some thousand different ones come over
 * HTTP; whole traces are then copied in the database with ids, times and sessions of their own, in the order of their times, as
 * if they had come over 90 days, and a worker makes them all searchable. Copies of a call keep the
 * request log of their original: search asks only whether there is one.
 */
export async function loadTraces(server: Installation, db: pg.Client): Promise<TraceLoad> {
  const workspaces: TracedWorkspace[] = [];
  for (const share of SHARES) workspaces.push(await seedWorkspace(server, Math.round((share * SCALE) / SPANS.average)));
  const [large, middle, small] = workspaces as [TracedWorkspace, TracedWorkspace, TracedWorkspace];
  const longTrace = seedTrace(LONG_TRACE);
  await send(middle.client, longTrace);
  await until(async () => (await count(db, 'trace_search_queue')) === 0, 600_000);
  await until(async () => (await count(db, 'request_log_search_queue')) === 0, 600_000);
  await multiplyRows(db, COPIED_TRACES, { plan: () => planCopies(db, workspaces) });
  await indexAll(db);
  const long = { client: middle.client, traceId: longTrace[0]!.traceId };
  return { large, small, long, spans: await count(db, 'spans') };
}

/** Indexes the copies. The time is part of the figures, because a worker does the same after an upgrade. */
async function indexAll(db: pg.Client): Promise<void> {
  const start = performance.now();
  await db.query(
    `INSERT INTO trace_search_queue (workspace_id, trace_id, generation)
     SELECT workspace_id, trace_id, nextval('trace_search_generations') FROM traces`,
  );
  await until(async () => (await count(db, 'trace_search_queue')) === 0, 3_000_000);
  const [{ spans }] = (await db.query<{ spans: string }>('SELECT sum(span_count) AS spans FROM traces')).rows as [
    { spans: string },
  ];
  const ms = performance.now() - start;
  process.stdout.write(
    `Made ${spans} spans searchable: ${(ms / Number(spans)).toFixed(2)} ms each, with one worker.\n`,
  );
  await db.query('VACUUM (ANALYZE)');
}

async function seedWorkspace(server: Installation, wanted: number): Promise<TracedWorkspace> {
  const seeded = Math.min(SEEDS.most, Math.max(SEEDS.least, Math.round(wanted / SEEDS.share)));
  const traces = Math.max(wanted, seeded);
  const { id, client } = await createWorkspace(server, `Bench of ${traces} traces`);
  const seeds = Array.from({ length: seeded }, (_, index) =>
    seedTrace(SPANS.least + (index % SPANS.different), { fails: index % FAILING === 0 }),
  ).flat();
  await send(client, seeds);
  return { id, client, traces, seeds, vocabulary: vocabularyOf(seeds.flatMap(({ input, output }) => [input, output])) };
}

async function send(client: ApiClient, seeds: SeedSpan[]): Promise<void> {
  for (let sent = 0; sent < seeds.length; sent += SPANS_PER_REQUEST) {
    const spans = seeds.slice(sent, sent + SPANS_PER_REQUEST).map(toOtlp);
    await client.post('/v1/traces', envelope(spans));
  }
}

/** Times of the copies of each trace. Every workspace gets its number of traces. */
async function planCopies(db: pg.Client, workspaces: TracedWorkspace[]): Promise<void> {
  await db.query('SELECT setseed(0.5)');
  // Far above every id that the product has given out.
  await db.query('CREATE TEMPORARY SEQUENCE bench_span_ids START 1000000000 CACHE 10000');
  await db.query(
    `CREATE TABLE bench_copies AS
     SELECT planned.*, md5(planned.workspace_id || ':' || number) AS trace_id,
            (extract(epoch FROM started) * 1e9)::bigint - t.start_ns AS shift_ns
       FROM (SELECT w.id AS workspace_id, number, s.ids[1 + number % cardinality(s.ids)] AS original,
                    now() - random() * interval '${DAYS} days' AS started
               FROM unnest($1::int[], $2::int[]) AS w (id, traces)
               JOIN (SELECT workspace_id, array_agg(trace_id) AS ids FROM traces
                      WHERE span_count < $3 GROUP BY workspace_id) s ON s.workspace_id = w.id,
                    generate_series(1, w.traces - cardinality(s.ids)) number) AS planned
       JOIN traces t ON t.workspace_id = planned.workspace_id AND t.trace_id = original
      ORDER BY started`,
    [workspaces.map(({ id }) => id), workspaces.map(({ traces }) => traces), LONG_TRACE],
  );
}

/** Span ids are of their trace alone: the same spans of two copies must not look like one. */
export const copyOf = (spanId: string) => `left(md5(c.trace_id || ${spanId}), 16)`;
export const COPIED_TRACES = {
  traces: {
    key: 'trace_id',
    own: {
      trace_id: 'c.trace_id',
      start_ns: 'o.start_ns + c.shift_ns',
      end_ns: 'o.end_ns + c.shift_ns',
      root_start_ns: 'o.root_start_ns + c.shift_ns',
      root_span_id: copyOf('o.root_span_id'),
      created_at: 'c.started',
    },
  },
  spans: {
    key: 'trace_id',
    own: {
      id: `nextval('bench_span_ids')`,
      trace_id: 'c.trace_id',
      span_id: copyOf('o.span_id'),
      parent_id: copyOf('o.parent_id'),
      start_ns: 'o.start_ns + c.shift_ns',
      end_ns: 'o.end_ns + c.shift_ns',
      attributes: `o.attributes || jsonb_build_object('session.id', '${SESSION}' || c.trace_id)`,
    },
  },
} satisfies Record<string, Copied>;
