import pg from 'pg';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { ApiClient } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import { FakeVendors } from '../support/fake-vendors.js';
import type { Feed } from '../support/feeds.js';
import type { Installation, ProductProcess } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN } from '../support/workspaces.js';
import { OneWorker, SHORT_LEASES, startFaultInstallation } from './fault-installation.js';
import { BATCHES, CALLS_PER_BATCH, CALLS, OTLP, type Reporting, RequestLoad } from './request-load.js';

/** Calls and traces that arrive. A release is tried with a million of them and 30 kills: CONTRIBUTING.md. */
const ITEMS = Number(process.env.FEED_ITEMS ?? 30_000);
const KILLS = Number(process.env.FEED_KILLS ?? 12);
/** Only ends what hangs: a million items took 16 minutes. */
const LIMIT_MS = 3_600_000;
/** Calls of a model that are under way at the same time. */
const PLACES = 20;

let server: Installation;
let api: ProductProcess;
let client: ApiClient;
let db: pg.Client;
let vendors: FakeVendors;
const worker = new OneWorker(() => server);

async function connected(): Promise<pg.Client> {
  const connection = new pg.Client(server.databaseUrl);
  // Its end is noticed where it is asked next.
  connection.on('error', () => undefined);
  await connection.connect();
  return connection;
}

beforeAll(async () => {
  vendors = await FakeVendors.start();
  ({ server, client, api } = await startFaultInstallation({
    ...SHORT_LEASES,
    ADMIN_TOKEN,
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    OUTBOUND_ALLOW_PRIVATE: 'on',
    EXTERNAL_CONCURRENCY: String(PLACES),
    EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
  }));
  db = await connected();
});
afterAll(async () => {
  await db.end();
  await server.close();
  await vendors.stop();
});

/** Processes that are killed in turn. The others go on without a restart. */
const KILLED: Record<string, () => Promise<void>> = {
  worker: async () => (await worker.running()).kill(),
  api: async () => {
    await api.kill();
    api = await server.start('api');
  },
  PostgreSQL: async () => {
    await server.killPostgres();
    await server.startPostgres();
    db = await connected();
  },
  Redis: async () => {
    await server.stopRedis();
    await server.startRedis();
  },
};

const numberOf = async (sql: string): Promise<number> =>
  Number((await db.query<{ count: string }>(`SELECT (${sql}) AS count`)).rows[0]!.count);

/** Decisions of all feeds about items; a trace that grows is the same item. */
const DECIDED = `SELECT coalesce(sum(c.value::int), 0) FROM feed_hours h, jsonb_each_text(h.counts) c WHERE c.key <> 'grown'`;
/** Before it arrives, an item waits for search; a trace for its end as well. */
const ON_THE_WAY = `(SELECT count(*) FROM open_traces WHERE arrived_waits = '{}') + (SELECT count(*) FROM request_log_search_queue)
  + (SELECT count(*) FROM trace_search_queue)`;

const judge = {
  title: 'Polite',
  type: 'PROMPT_TEMPLATE',
  config: {
    inline_template: {
      inline: true,
      prompt_template: {
        type: 'chat',
        messages: [{ role: 'user', content: [{ type: 'text', text: '{item}: is this polite? {said}' }] }],
      },
      metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } },
    },
    prompt_template_variable_mappings: { item: 'request_id', said: 'output' },
  },
};

async function newFeed(title: string, body: object, columns: object[]): Promise<() => Promise<Feed>> {
  const sheet = await client.createSheet(title);
  const { feed } = await client.post<{ feed: Feed }>(`${sheet.path}/feeds`, { name: title, ...body });
  for (const column of columns) await client.post(`${sheet.path}/columns`, column);
  return async () => (await client.get<{ feed: Feed }>(`${sheet.path}/feeds/${feed.id}`)).feed;
}

const loadOf = (reporting: Reporting, clients: number) =>
  new RequestLoad({ url: server.url, apiKey: server.apiKey }, reporting, clients);

/** Sends until enough has arrived, and kills one thing after the other while it is decided about. */
async function reportThroughKills(): Promise<void> {
  const batches = loadOf(BATCHES, 3);
  const loads = [loadOf(CALLS, 1), loadOf(OTLP, 1)];
  const sent = until(() => Promise.resolve(2 * CALLS_PER_BATCH * batches.acknowledged.length >= ITEMS), LIMIT_MS);
  const ended = sent.finally(() => Promise.all([batches, ...loads].map((load) => load.finish())));
  await worker.running();
  const kinds = Object.values(KILLED);
  for (let kill = 0; kill < KILLS; kill++) {
    await until(async () => (await numberOf(DECIDED)) >= ((kill + 1) * ITEMS) / (KILLS + 2), LIMIT_MS);
    await kinds[kill % kinds.length]!();
    await worker.running();
  }
  await ended;
}

describe('feeds', () => {
  deepIt(
    'decide once about everything that arrives, whatever is killed, and ask a model again only about what was under way',
    async () => {
      await client.post(
        `/api/admin/v1/workspaces/${await numberOf('SELECT min(id) FROM workspaces')}/model-credentials`,
        {
          provider: 'openai',
          name: 'default',
          base_url: `${vendors.url}/v1`,
          secret: 'sk-test-0123456789',
        },
      );
      const share = { sample_rate: 0.01, keep_rows: 100_000, rows_per_day: 100_000 };
      const length = { title: 'Length', type: 'COUNT', config: { source: 'trace_id', type: 'chars' } };
      const judged = await newFeed('judged', { source: 'requests', ...share }, [judge]);
      const ofTraces = await newFeed('traces', { source: 'traces', quiet_seconds: 1, ...share }, [length]);
      await reportThroughKills();
      await until(async () => {
        const feeds = [await judged(), await ofTraces()];
        const waits = feeds.some((feed) => feed.undecided_count + feed.waiting_count > 0);
        return !waits && (await numberOf(ON_THE_WAY)) === 0;
      }, LIMIT_MS);

      const counted = await db.query<{ name: string; seen: number; chosen: number }>(
        `SELECT f.name, sum(c.value::int)::int AS seen, sum(c.value::int) FILTER (WHERE c.key = 'chosen')::int AS chosen
           FROM feeds f JOIN feed_hours h ON h.feed_id = f.id, jsonb_each_text(h.counts) c WHERE c.key <> 'grown'
          GROUP BY f.name ORDER BY f.name`,
      );
      const [logs, traces] = [
        await numberOf('SELECT count(*) FROM request_logs'),
        await numberOf('SELECT count(*) FROM traces WHERE span_count > 0'),
      ];
      expect(logs + traces).toBeGreaterThanOrEqual(ITEMS);
      expect(counted.rows.map(({ name, seen }) => [name, seen])).toEqual([
        ['judged', logs],
        ['traces', traces],
      ]);
      const rows = [(await judged()).row_count, (await ofTraces()).row_count];
      expect(counted.rows.map(({ chosen }) => chosen)).toEqual(rows);
      const doubled = `SELECT count(*) FROM (
        SELECT FROM feeds f JOIN sheet_columns c ON c.sheet_id = f.sheet_id JOIN cells k ON k.column_key = c.key
         WHERE c.title = CASE f.source WHEN 'traces' THEN 'trace_id' ELSE 'request_id' END AND k.value IS NOT NULL
         GROUP BY f.id, k.value HAVING count(*) > 1) AS items`;
      expect(await numberOf(doubled)).toBe(0);
      expectJudgedOnce(rows[0]!);
    },
    2 * LIMIT_MS,
  );
});

/** Calls that were under way at a kill are made again. */
function expectJudgedOnce(rows: number): void {
  const calls = new Map<string, number>();
  for (const { text } of vendors.calls) calls.set(text, (calls.get(text) ?? 0) + 1);
  expect(calls.size).toBeGreaterThanOrEqual(rows);
  const again = [...calls.values()].reduce((sum, times) => sum + times - 1, 0);
  expect(again).toBeLessThanOrEqual(2 * PLACES * KILLS);
}
