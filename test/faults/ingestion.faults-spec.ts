import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { startFaultInstallation } from './fault-installation.js';
import { BULK, CALLS, CALLS_PER_TRACE, OTLP, type Reporting, RequestLoad, SPANS_PER_TRACE } from './request-load.js';

let server: Installation;
let client: ApiClient;
let api: ProductProcess;
let load: RequestLoad;

beforeAll(async () => {
  ({ server, client, api } = await startFaultInstallation());
});
afterAll(() => server.close());
afterEach(() => load.abandon());

/** Clients report while the api is killed and PostgreSQL, too; ends when all of it is acknowledged. */
async function reportThroughKills(reporting: Reporting, kills = 1): Promise<void> {
  load = new RequestLoad(server, reporting);
  await acknowledges(20);
  for (let kill = 0; kill < kills; kill++) {
    await api.kill();
    api = await server.start('api');
    await acknowledges(20);
  }
  await server.killPostgres();
  await server.startPostgres();
  await acknowledges(20);
  await load.finish();
  expect(load.lostConnections).toBeGreaterThan(0);
}

const OF_SPANS: [string, Reporting, number][] = [
  ['OTLP', OTLP, atDepth(1, 2)],
  ['bulk', BULK, 1],
];
it.each(atDepth(OF_SPANS.slice(0, 1), OF_SPANS))(
  'keeps every acknowledged span, once, while the api and PostgreSQL are killed under load: %s',
  async (_, reporting, kills) => {
    await reportThroughKills(reporting, kills);
    await expectOnceEach(load.acknowledged);
  },
);

it('keeps every acknowledged call while the api and PostgreSQL are killed under load', async () => {
  await reportThroughKills(CALLS);
  expect(new Set(load.acknowledged).size).toBe(load.acknowledged.length);
  for (const id of load.acknowledged) {
    const log = await client.get<{ request_id: number }>(`/api/public/v2/requests/${id}`);
    expect(String(log.request_id)).toBe(id);
  }
});

it('answers 503 with Retry-After while PostgreSQL is down, and works again without a restart', async () => {
  load = new RequestLoad(server, OTLP);
  await acknowledges(20);
  await server.killPostgres();
  const before = load.countOf(503);
  await until(async () => load.countOf(503) >= before + 20);
  const read = await client.send('GET', `/api/public/v2/traces/${load.acknowledged[0]}`);
  await server.startPostgres();
  await acknowledges(20);
  await load.finish();

  expect([read.status, read.headers.has('retry-after')]).toEqual([503, true]);
  expect([...load.statuses.keys()].toSorted(), api.recentOutput).toEqual([200, 503]);
  expect(load.withoutRetryAfter).toBe(0);
  expect(load.lostConnections).toBe(0);
  expect(api.isRunning).toBe(true);
  await expectOnceEach(load.acknowledged);
});

/** Waits for so many more acknowledgements. */
async function acknowledges(more: number): Promise<void> {
  const target = load.acknowledged.length + more;
  await until(async () => load.acknowledged.length >= target);
}

interface TraceAnswer {
  spans: { span_id: string; request_log_id: number | null }[];
}

/** Every trace has each of its spans once, and so have the request logs. */
async function expectOnceEach(traceIds: string[]): Promise<void> {
  const logIds: number[] = [];
  for (const id of traceIds) {
    const { spans } = await client.get<TraceAnswer>(`/api/public/v2/traces/${id}`);
    expect(new Set(spans.map((span) => span.span_id)).size).toBe(SPANS_PER_TRACE);
    expect(spans).toHaveLength(SPANS_PER_TRACE);
    logIds.push(...spans.flatMap((span) => span.request_log_id ?? []));
  }
  expect(new Set(logIds).size).toBe(traceIds.length * CALLS_PER_TRACE);
  expect(await countStored(traceIds)).toEqual({
    logs: traceIds.length * CALLS_PER_TRACE,
    counted: traceIds.length * SPANS_PER_TRACE,
  });
}

/** Request logs of the traces, also those no span points to, and the spans their summaries have counted. */
async function countStored(traceIds: string[]): Promise<{ logs: number; counted: number }> {
  const db = new pg.Client(server.databaseUrl);
  await db.connect();
  const { rows } = await db.query<{ logs: number; counted: number }>(
    `SELECT (SELECT count(*)::int FROM request_logs WHERE trace_id = ANY($1)) AS logs,
            (SELECT sum(span_count)::int FROM traces WHERE trace_id = ANY($1)) AS counted`,
    [traceIds],
  );
  await db.end();
  return rows[0]!;
}
