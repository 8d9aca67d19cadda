import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient, SheetRef } from '../support/api-client.js';
import { deepIt } from '../support/depth.js';
import { FakeVendors } from '../support/fake-vendors.js';
import type { Regression } from '../support/regressions.js';
import type { Installation } from '../support/server-processes.js';
import { until } from '../support/until.js';
import { textSheet } from './computed-sheet.js';
import { OneWorker, startFaultInstallation } from './fault-installation.js';

/** Calls that a worker makes at the same time. */
const PLACES = 3;
const ENV = {
  SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
  OUTBOUND_ALLOW_PRIVATE: 'on',
  EXTERNAL_CONCURRENCY: String(PLACES),
  EXTERNAL_CONCURRENCY_PER_WORKSPACE: String(PLACES),
};
const ROWS = 12;
const VERSIONS = 6;
const FALL = 4;

let vendors: FakeVendors;
let server: Installation;
let client: ApiClient;
let db: pg.Client;
const worker = new OneWorker(() => server);

beforeAll(async () => {
  vendors = await FakeVendors.start();
  vendors.reply = ({ text }) => ({ text: Number(/v(\d+):/.exec(text)![1]) < FALL ? 'good' : 'bad' });
  vendors.delayMs = 20;
  ({ server, client } = await startFaultInstallation(ENV));
  const credential = { provider: 'openai', name: 'default', base_url: `${vendors.url}/v1`, secret: 'sk-0123456789' };
  await client.post('/api/admin/v1/workspaces/1/model-credentials', credential);
  db = new pg.Client(server.databaseUrl);
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await server.close();
  await vendors.stop();
});
const promptOf = (version: number) => ({
  inline_template: {
    inline: true,
    prompt_template: {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: `v${version}: {thing}` }] }],
    },
    metadata: { model: { provider: 'openai', name: 'gpt-4.1-mini', parameters: {} } },
  },
  prompt_template_variable_mappings: { thing: 'Column A' },
});

interface Searched {
  sheet: SheetRef;
  id: string;
  /** The version of the sheet in which the prompt was the first one. */
  first: number;
}

let sheets = 0;

/** Starts a search in a sheet whose prompt has changed seven times, and of which only the first answers are computed. */
async function search(): Promise<Searched> {
  const number = ++sheets;
  const sheet = await textSheet(client, ROWS, (row) => `question ${number}.${row}`);
  const columns = `${sheet.path}/columns`;
  const body = { title: 'Answer', type: 'PROMPT_TEMPLATE', config: promptOf(1) };
  const { column } = await client.post<{ column: { id: string } }>(columns, body);
  const verdict = { title: 'Good', type: 'CONTAINS', config: { source: 'Answer', value: 'good' } };
  await client.post(columns, verdict);
  await until(async () => {
    const { active_operations: active } = await client.get<{ active_operations: object[] }>(`${sheet.path}/operations`);
    return active.length === 0;
  });
  const newest = async () =>
    (await client.get<{ data: { version_number: number }[] }>(`${sheet.path}/versions?limit=1`)).data[0]!
      .version_number;
  const first = await newest();
  for (let version = 2; version <= VERSIONS; version++) {
    await client.patch(`${columns}/${column.id}`, { config: promptOf(version) });
  }
  vendors.calls.length = 0;
  const { regression } = await client.post<{ regression: Regression }>(`${sheet.path}/regressions`, {
    good_version: first,
    bad_version: await newest(),
  });
  return { sheet, id: regression.id, first };
}

async function endOf({ sheet, id }: Searched): Promise<Regression> {
  const read = () => client.get<{ regression: Regression }>(`${sheet.path}/regressions/${id}`);
  await until(async () => !['queued', 'running'].includes((await read()).regression.status));
  return (await read()).regression;
}

/** Facts about a result that do not depend on the sheet. */
function answerOf(found: Regression, { first }: Searched) {
  const told = [found.good!, found.bad!, ...found.steps];
  return {
    status: found.status,
    fall: [found.last_good_version! - first, found.first_bad_version! - first],
    skipped: found.skipped_versions,
    steps: told.map(({ version_number: number, outcome, score, confidence_interval: interval, comparison }) => {
      return { version: number - first, outcome, score, interval, comparison };
    }),
  };
}

function callsByText(): Map<string, number> {
  const calls = new Map<string, number>();
  for (const { text } of vendors.calls) calls.set(text, (calls.get(text) ?? 0) + 1);
  return calls;
}

/** Every version was looked at once, its cells were asked for once but for those under way, and no copy is left. */
async function expectSameAs(undisturbed: ReturnType<typeof answerOf>, searched: Searched, kills: number) {
  const found = await endOf(searched);
  expect(answerOf(found, searched)).toEqual(undisturbed);
  const calls = callsByText();
  expect(calls.size).toBe(ROWS * (1 + found.steps.length));
  const again = [...calls.values()].filter((count) => count > 1);
  // A call that has its answer frees its slot before the answer is stored.
  expect(again.length).toBeLessThanOrEqual(2 * PLACES * kills);
  expect(Math.max(...calls.values())).toBeLessThanOrEqual(1 + kills);
  const left = await db.query(`SELECT FROM sheets WHERE owner = 'regression' AND deleted_at IS NULL`);
  expect(left.rowCount).toBe(0);
}

describe('a search for a regression ends once, with the same answer,', () => {
  let undisturbed: ReturnType<typeof answerOf>;
  beforeAll(async () => {
    await worker.running();
    const searched = await search();
    const found = await endOf(searched);
    undisturbed = answerOf(found, searched);
    expect(undisturbed.fall).toEqual([FALL - 2, FALL - 1]);
  });

  it('when the worker is killed in the middle of a version', async () => {
    const running = await worker.running();
    const searched = await search();
    await until(() => Promise.resolve(vendors.calls.length >= 1.5 * ROWS));
    await running.kill();
    await until(() => Promise.resolve(vendors.open === 0));
    await worker.running();
    await expectSameAs(undisturbed, searched, 1);
  });

  deepIt('when the worker is killed while it has the search in its hands', async () => {
    const running = await worker.running();
    const searched = await search();
    await until(() => Promise.resolve(vendors.calls.length >= 1.5 * ROWS));
    // A lock blocks the step to the next version until the worker is gone.
    await db.query('BEGIN');
    await db.query('LOCK TABLE sheet_columns IN EXCLUSIVE MODE');
    await until(async () => {
      const claimed = 'SELECT FROM regressions WHERE id = $1 AND claim IS NOT NULL';
      return (await db.query(claimed, [searched.id])).rowCount === 1;
    });
    await running.kill();
    await db.query('COMMIT');
    await worker.running();
    await expectSameAs(undisturbed, searched, 1);
  });
});
