import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { atDepth } from '../support/depth.js';
import { FakeVendors } from '../support/fake-vendors.js';
import type { Feed } from '../support/feeds.js';
import { envelope, llmSpan } from '../support/otlp.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { ADMIN_TOKEN, createWorkspace } from '../support/workspaces.js';
import { readSheet } from './computed-sheet.js';
import { OneWorker, startFaultInstallation, untilDatabaseIdle } from './fault-installation.js';

/** Kills of the worker while what arrived is judged by a model, and calls that arrive before each of them. */
const JUDGED = atDepth({ kills: 1, calls: 45 }, { kills: 10, calls: 150 });
const PLACES = 20;
const ENV = {
  ADMIN_TOKEN,
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  OUTBOUND_ALLOW_PRIVATE: 'on',
  EXTERNAL_CONCURRENCY: String(PLACES),
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
};

let server: Installation;
let client: ApiClient;
let db: pg.Client;
let vendors: FakeVendors;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  vendors = await FakeVendors.start();
  ({ server, client } = await startFaultInstallation(ENV));
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
  await vendors.stop();
});

async function newFeed(sheet: SheetRef, body: object, owner = client): Promise<string> {
  const { feed } = await owner.post<{ feed: Feed }>(`${sheet.path}/feeds`, { name: 'All', ...body });
  return `${sheet.path}/feeds/${feed.id}`;
}

const read = async (path: string, owner = client): Promise<Feed> => (await owner.get<{ feed: Feed }>(path)).feed;

const one = async <T>(sql: string, values: unknown[] = []): Promise<T> => (await db.query(sql, values)).rows[0] as T;

const ASKED = 'Is this polite: ';
const judge = {
  title: 'Polite',
  type: 'PROMPT_TEMPLATE',
  config: {
    inline_template: {
      inline: true,
      prompt_template: {
        type: 'chat',
        messages: [{ role: 'user', content: [{ type: 'text', text: `${ASKED}{said}` }] }],
      },
      metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } },
    },
    prompt_template_variable_mappings: { said: 'output' },
  },
};

/** Number of calls of the model for each text. The blank first row of a sheet does not count. */
function callsByText(): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { text } of vendors.calls) {
    const said = text.slice(ASKED.length);
    if (said !== '') calls.set(said, (calls.get(said) ?? 0) + 1);
  }
  return calls;
}

/** Texts whose judgement is stored. */
async function judgedTexts(owner: ApiClient, sheet: SheetRef): Promise<Set<string>> {
  const { rows } = await readSheet(owner, sheet);
  const judged = rows.filter(({ statuses, values }) => statuses.Polite === 'completed' && values.output !== null);
  return new Set(judged.map(({ values }) => String(values.output)));
}

/** Waits until nothing that a dead worker has sent is still carried out. */
async function untilSilent(): Promise<void> {
  await untilDatabaseIdle(server);
  await until(() => Promise.resolve(vendors.open === 0));
}

describe('feeds', () => {
  it('ask a model once about everything they choose, and again only about what was under way when the worker was killed', async () => {
    const { id, client: owner } = await createWorkspace(server, 'Judged');
    await owner.post(`/api/admin/v1/workspaces/${id}/model-credentials`, {
      provider: 'openai',
      name: 'default',
      base_url: `${vendors.url}/v1`,
      secret: 'sk-test-0123456789',
    });
    vendors.delayMs = 20;
    const sheet = await owner.createSheet('judged');
    const feed = await newFeed(sheet, { source: 'requests', rows_per_day: 100_000 }, owner);
    await owner.post(`${sheet.path}/columns`, judge);
    const { kills, calls } = JUDGED;
    const expected = new Map<string, number>();
    let running = await worker.running();
    for (let kill = 1; kill <= kills; kill++) {
      const texts = Array.from({ length: calls }, (_, index) => `text ${kill}.${index}`);
      for (const text of texts) expected.set(text, 1);
      await owner.post('/v1/traces', envelope(texts.map((output) => llmSpan({ output }))));
      await until(() => Promise.resolve(callsByText().size >= (kill - 1) * calls + calls / 3));
      await running.kill();
      await untilSilent();
      const stored = await judgedTexts(owner, sheet);
      const cut = [...callsByText().keys()].filter((text) => !stored.has(text));
      // A call that has its answer frees its slot before the answer is stored.
      expect(cut.length).toBeLessThanOrEqual(2 * PLACES);
      for (const text of cut) expected.set(text, expected.get(text)! + 1);
      running = await worker.running();
      await until(async () => {
        const { undecided_count: undecided, waiting_count: waiting, row_count: rows } = await read(feed, owner);
        return undecided + waiting === 0 && rows === kill * calls;
      });
    }
    expect(await judgedTexts(owner, sheet)).toEqual(new Set(expected.keys()));
    expect(callsByText()).toEqual(expected);
    const { last_hour: counts } = await read(feed, owner);
    const logs = await one<{ count: number }>(
      'SELECT count(*)::int AS count FROM request_logs WHERE workspace_id = $1',
      [id],
    );
    // Its own calls of the model arrive as well, and are left out.
    expect(counts).toMatchObject({ seen: logs.count, chosen: kills * calls, filtered: logs.count - kills * calls });
  });
});
