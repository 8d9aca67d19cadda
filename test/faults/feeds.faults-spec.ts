import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import type { Feed } from '../support/feeds.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { OneWorker, startFaultInstallation } from './fault-installation.js';
import { CALLS, OTLP, RequestLoad } from './request-load.js';

/** Kills of the worker while calls and traces arrive. */
const KILLS = atDepth(2, 12);

let server: Installation;
let client: ApiClient;
let db: pg.Client;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  ({ server, client } = await startFaultInstallation());
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
});

async function newFeed(sheet: SheetRef, body: object): Promise<string> {
  const { feed } = await client.post<{ feed: Feed }>(`${sheet.path}/feeds`, { name: 'All', ...body });
  return `${sheet.path}/feeds/${feed.id}`;
}

const read = async (path: string): Promise<Feed> => (await client.get<{ feed: Feed }>(path)).feed;

const one = async <T>(sql: string, values: unknown[] = []): Promise<T> => (await db.query(sql, values)).rows[0] as T;

describe('feeds', () => {
  it('decide about everything that arrives once, however often their worker is killed', async () => {
    const [calls, traces] = [await client.createSheet('calls'), await client.createSheet('traces')];
    const length = { title: 'Length', type: 'COUNT', config: { source: 'output', type: 'chars' } };
    const ofCalls = await newFeed(calls, { source: 'requests', keep_rows: 100_000 });
    await newFeed(calls, { source: 'requests', sample_rate: 0.5, filter_group: { filters: [] } });
    const ofTraces = await newFeed(traces, { source: 'traces', quiet_seconds: 1, keep_rows: 100_000 });
    await client.post(`${calls.path}/columns`, length);
    let running = await worker.running();
    const loads = [
      new RequestLoad({ url: server.url, apiKey: server.apiKey }, CALLS),
      new RequestLoad({ url: server.url, apiKey: server.apiKey }, OTLP),
    ];
    try {
      for (let kill = 1; kill <= KILLS; kill++) {
        await until(async () => (await read(ofCalls)).row_count >= kill * 30);
        await running.kill();
        running = await worker.running();
      }
    } finally {
      await Promise.all(loads.map((load) => load.finish()));
    }
    await until(async () => {
      const [a, b] = [await read(ofCalls), await read(ofTraces)];
      const open = await one<{ count: string }>(
        `SELECT (SELECT count(*) FROM open_traces WHERE arrived_waits = '{}') + (SELECT count(*) FROM request_log_search_queue)
              + (SELECT count(*) FROM trace_search_queue) AS count`,
      );
      return open.count === '0' && [a, b].every((feed) => feed.undecided_count + feed.waiting_count === 0);
    });

    const logs = await one<{ count: number }>('SELECT count(*)::int AS count FROM request_logs');
    const stored = await one<{ count: number }>('SELECT count(*)::int AS count FROM traces WHERE span_count > 0');
    const decided = await db.query<{ source: string; seen: number; chosen: number }>(
      `SELECT f.source, sum(c.value::int)::int AS seen, sum(c.value::int) FILTER (WHERE c.key = 'chosen')::int AS chosen
         FROM feeds f JOIN feed_hours h ON h.feed_id = f.id, jsonb_each_text(h.counts) c
        WHERE c.key <> 'grown' GROUP BY f.id, f.source, f.created_at ORDER BY f.created_at`,
    );
    expect(decided.rows.map(({ seen }) => seen)).toEqual([logs.count, logs.count, stored.count]);
    expect(decided.rows[0]!.chosen).toBe(logs.count);
    expect(decided.rows[2]!.chosen).toBe(stored.count);
    const doubled = await db.query(
      `SELECT c.sheet_id, k.value FROM cells k JOIN sheet_columns c ON c.key = k.column_key
        WHERE c.title = 'trace_id' GROUP BY 1, 2 HAVING count(*) > 1`,
    );
    expect(doubled.rows).toEqual([]);
    expect((await read(ofCalls)).row_count).toBe(logs.count);
    const uncomputed = await one<{ count: number }>(
      `SELECT count(*)::int AS count FROM cells k JOIN sheet_columns c ON c.key = k.column_key WHERE c.title = 'Length' AND k.value IS NOT NULL`,
    );
    // The second feed computes its rows, too.
    expect(uncomputed.count).toBe(logs.count + decided.rows[1]!.chosen);
  });
});
