import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../src/app.js';
import { Client } from '../support/client.js';
import { newSheet, TABLES, type TestSheet } from '../support/factories.js';
import { TestApp } from '../support/test-app.js';

const SERVER_LIMIT = 4096;

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { IMPORT_MAX_BYTES: String(SERVER_LIMIT) } });
});
afterAll(() => app.stop());

interface Customer {
  me: Client;
  path: string;
  sheet: TestSheet;
}

async function customer(): Promise<Customer> {
  const me = await app.stranger();
  const { workspaces } = (await app.operator().get('/api/admin/v1/workspaces')) as { workspaces: { id: number }[] };
  return { me, path: `/api/admin/v1/workspaces/${workspaces.at(-1)!.id}/settings`, sheet: await newSheet(me) };
}

/** A CSV of exactly so many bytes. */
function file(bytes: number): { file_name: string; file_content_base64: string } {
  const text = `input\n${'x'.repeat(bytes - 7)}\n`;
  return { file_name: 'some.csv', file_content_base64: Buffer.from(text).toString('base64') };
}

async function importBoth({ me, sheet }: Customer, bytes: number): Promise<number[]> {
  const source = { type: 'file', ...file(bytes) };
  const created = await me.request('POST', `${TABLES}/${sheet.tableId}/sheets`, { source });
  const added = await me.request('POST', `${sheet.path}/imports/file`, file(bytes));
  return [created.status, added.status];
}

const sheetOf = async ({ me, sheet }: Customer, path = sheet.path) =>
  ((await me.get(path)) as { sheet: { auto_recalculate: string } }).sheet;

describe('the settings of a workspace', () => {
  it('have defaults until somebody changes them, one by one', async () => {
    const { me, path } = await customer();
    const settings = {
      import_max_bytes: null,
      auto_recalculate: 'off',
      default_model: null,
      embedding_model: null,
      protected_labels: [],
      approval_labels: [],
      updated_at: null,
    };
    expect(await me.get(path)).toEqual({ success: true, settings });
    expect(await me.patch(path, {})).toEqual({ success: true, settings });
    expect(await me.patch(path, { import_max_bytes: 100 })).toMatchObject({ settings: { import_max_bytes: 100 } });
    const changed = { import_max_bytes: 100, auto_recalculate: 'all', updated_at: expect.any(String) };
    expect(await me.patch(path, { auto_recalculate: 'all' })).toMatchObject({ settings: changed });
    expect(await app.operator().get(path)).toMatchObject({ settings: changed });
    expect(await me.patch(path, { import_max_bytes: null })).toMatchObject({
      settings: { ...changed, import_max_bytes: null },
    });
  });

  it('limit the files that can be imported, in this workspace only and in every process', async () => {
    const [ours, others] = [await customer(), await customer()];
    await ours.me.patch(ours.path, { import_max_bytes: 1000 });
    expect(await importBoth(ours, 1001)).toEqual([400, 400]);
    expect(await importBoth(others, 1001)).toEqual([202, 202]);
    expect(await importBoth(ours, 1000)).toEqual([202, 202]);
    const other = await createApp({ config: app.config, works: false });
    try {
      await other.init();
      const me = new Client(other, app.contract, ours.me.apiKey);
      const sheet = await newSheet(me);
      expect(await importBoth({ ...ours, me, sheet }, 1001)).toEqual([400, 400]);
    } finally {
      await other.close();
    }
  });

  it('cannot allow more than the server does', async () => {
    const { me, path } = await customer();
    expect(await me.patch(path, { import_max_bytes: SERVER_LIMIT + 1 }, 400)).toMatchObject({
      error: 'import_limit_too_large',
      message: expect.stringContaining(String(SERVER_LIMIT)),
    });
    await me.patch(path, { import_max_bytes: SERVER_LIMIT });
  });

  it('decide what new sheets follow, not what those do that exist', async () => {
    const ours = await customer();
    await ours.me.patch(ours.path, { auto_recalculate: 'deterministic' });
    expect(await sheetOf(ours)).toMatchObject({ auto_recalculate: 'off' });
    const { tableId } = ours.sheet;
    const sheets = [
      await ours.me.post(`${TABLES}/${tableId}/sheets`, {}, 201),
      await ours.me.post(`${TABLES}/${tableId}/sheets`, { source: { type: 'file', ...file(100) } }, 202),
    ] as { sheet: { id: string } }[];
    for (const { sheet } of sheets) {
      const found = await sheetOf(ours, `${TABLES}/${tableId}/sheets/${sheet.id}`);
      expect(found).toMatchObject({ auto_recalculate: 'deterministic' });
    }
    expect(await sheetOf({ ...ours, sheet: await newSheet(ours.me) })).toMatchObject({
      auto_recalculate: 'deterministic',
    });
  });

  it.each([
    { import_max_bytes: 0 },
    { import_max_bytes: -1 },
    { import_max_bytes: 1e300 },
    { import_max_bytes: '100' },
    { auto_recalculate: 'sometimes' },
    { auto_recalculate: null },
    { auto_recalculat: 'all' },
  ])('refuse what they do not understand: %j', async (body) => {
    const { me, path } = await customer();
    await me.patch(path, body, 422);
    expect(await me.get(path)).toMatchObject({ settings: { updated_at: null } });
  });

  it('are for administrators, and others do not see them', async () => {
    const { me, path } = await customer();
    const keys = path.replace('settings', 'api-keys');
    const { secret } = (await app.operator().post(keys, { role: 'member' }, 201)) as { secret: string };
    await app.clientWith(secret).patch(path, { auto_recalculate: 'all' }, 403);
    const stranger = await app.stranger();
    await stranger.get(path, 404);
    await me.get(path);
  });

  it('survive two who change different ones at once', async () => {
    const { me, path } = await customer();
    await Promise.all([
      me.patch(path, { import_max_bytes: 77 }),
      me.patch(path, { auto_recalculate: 'all' }),
      me.patch(path, { import_max_bytes: 77 }),
    ]);
    expect(await me.get(path)).toMatchObject({ settings: { import_max_bytes: 77, auto_recalculate: 'all' } });
  });
});
