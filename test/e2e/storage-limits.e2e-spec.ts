import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { changeFeed, logInOrder, newFeed, settledFeed } from '../support/feeds.js';
import { newSheet, TABLES, type TestSheet } from '../support/factories.js';
import { IS_DEEP } from '../support/depth.js';
import { waitingForLocks } from '../support/locks.js';
import { llmSpan, logCall, send } from '../support/otlp.js';
import { base64, ended } from '../support/sheets.js';
import { untilSearchable } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const WORKSPACES = '/api/admin/v1/workspaces';

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ env: { WORKSPACE_MAX_ROWS: '1000' } });
});
afterAll(() => app.stop());

interface Customer {
  id: number;
  me: Client;
  path: string;
  sheet: TestSheet;
}

async function customer(): Promise<Customer> {
  const me = await app.stranger();
  const { workspaces } = (await app.operator().get(WORKSPACES)) as { workspaces: { id: number }[] };
  const { id } = workspaces.at(-1)!;
  return { id, me, path: `${WORKSPACES}/${id}/storage`, sheet: await newSheet(me) };
}

const limit = ({ path }: Customer, limits: object) =>
  app.operator().request('PUT', path, { max_stored_bytes: null, max_rows: null, ...limits });
const storageOf = async ({ me, path }: Customer) => ((await me.get(path)) as { storage: object }).storage;

const callOf = (said: string) => ({
  provider: 'openai',
  model: 'gpt-4o-mini',
  input: { type: 'completion', content: [{ type: 'text', text: said }] },
  output: { type: 'completion', content: [{ type: 'text', text: 'Yes.' }] },
  request_start_time: '2026-05-04T10:00:00.000Z',
  request_end_time: '2026-05-04T10:00:01.500Z',
});

const usedBy = async (of: Customer) => ((await storageOf(of)) as { stored_bytes: { used: number } }).stored_bytes.used;

/** Counts as a worker does once a minute. */
async function count(): Promise<void> {
  await app.sql('UPDATE workspace_storage SET count_began_at = NULL');
  await app.sweep('storage');
}

const refusalOf = (limitName: string, used: unknown, most: number) => ({
  error: 'workspace_full',
  message: expect.stringContaining(`${limitName} ${String(used)} of ${most}.`) as string,
});

/** A new sheet has one row. */
describe('a workspace with a limit of rows', () => {
  it('warns before it is full, and rejects rows beyond the limit', async () => {
    const mine = await customer();
    await limit(mine, { max_rows: 10 });
    const add = (rows: number) => mine.me.request('POST', `${mine.sheet.path}/rows`, { count: rows });
    expect((await add(6)).headers).not.toHaveProperty('x-storage-warning');
    const refused = await add(4);
    expect([refused.status, refused.body]).toMatchObject([403, refusalOf('rows', 7, 10)]);
    const last = await add(3);
    expect([last.status, last.headers['x-storage-warning']]).toEqual([201, 'rows=10/10']);
    expect((await add(1)).body).toMatchObject(refusalOf('rows', 10, 10));
    expect(await storageOf(mine)).toMatchObject({ rows: { used: 10, limit: 10 }, stored_bytes: { limit: null } });
  });

  it.each([
    ['a version that is restored', ({ path }: TestSheet) => `${path}/versions`],
    ['a run of a workflow', () => '/workflows/any/run'],
    ['a run of an evaluation', () => '/reports/1/run'],
    ['a sheet of an evaluation', () => '/api/public/v2/evaluations/1/to-table'],
  ])('refuses %s when it is full', async (_, pathIn) => {
    const mine = await customer();
    await limit(mine, { max_rows: 1 });
    const { status, body } = await mine.me.request('POST', pathIn(mine.sheet), {});
    expect([status, body]).toMatchObject([403, refusalOf('rows', 1, 1)]);
  });

  it('gets no room by a request for fewer than no rows', async () => {
    const mine = await customer();
    await limit(mine, { max_rows: 10 });
    const add = (rows: number) => mine.me.request('POST', `${mine.sheet.path}/rows`, { count: rows });
    expect((await add(-1000)).status).toBe(422);
    expect((await add(10)).body).toMatchObject(refusalOf('rows', 1, 10));
  });

  it('lets an import fail that has too many, and keeps the sheet as it was', async () => {
    const mine = await customer();
    await limit(mine, { max_rows: 3 });
    const file = { file_name: 'rows.csv', file_content_base64: base64('a\n1\n2\n3\n4\n') };
    const { status, body } = await mine.me.request('POST', `${mine.sheet.path}/imports/file`, file);
    expect(status).toBe(202);
    const { operation_id: id } = body as { operation_id: string };
    const operation = await ended(mine.me, `${TABLES}/${mine.sheet.tableId}/sheets`, id);
    expect(operation).toMatchObject({ status: 'failed', error_message: refusalOf('rows', 1, 3).message });
    expect(await storageOf(mine)).toMatchObject({ rows: { used: 1, limit: 3 } });
  });

  it('pauses a feed that has no room, which goes on where it was once there is room', async () => {
    const mine = await customer();
    await limit(mine, { max_rows: 3 });
    const feed = await newFeed(mine.me, mine.sheet, { source: 'requests' });
    await logInOrder(app, mine.me, ['a', 'b']);
    expect(await settledFeed(app, mine.me, feed)).toMatchObject({ state: 'active', row_count: 2 });
    await logInOrder(app, mine.me, ['c', 'd']);
    const full = { state: 'paused', paused_reason: 'workspace_full', row_count: 2, undecided_count: 2 };
    expect(await settledFeed(app, mine.me, feed)).toMatchObject(full);
    expect(await storageOf(mine)).toMatchObject({ rows: { used: 3, limit: 3 } });

    await limit(mine, { max_rows: 5 });
    await changeFeed(mine.me, feed, { state: 'active' });
    expect(await settledFeed(app, mine.me, feed)).toMatchObject({ state: 'active', row_count: 4 });
  });

  it('leaves a feed room to replace its rows', async () => {
    const mine = await customer();
    await limit(mine, { max_rows: 3 });
    const feed = await newFeed(mine.me, mine.sheet, { source: 'requests', keep_rows: 2 });
    for (const models of [
      ['a', 'b'],
      ['c', 'd'],
    ]) {
      await logInOrder(app, mine.me, models);
      expect(await settledFeed(app, mine.me, feed)).toMatchObject({ state: 'active', row_count: 2 });
    }
  });

  it('takes the limit of the installation unless it has one of its own', async () => {
    const mine = await customer();
    expect(await storageOf(mine)).toMatchObject({ rows: { used: 1, limit: 1000 } });
    await limit(mine, { max_rows: 2000 });
    expect(await storageOf(mine)).toMatchObject({ rows: { used: 1, limit: 2000 } });
    await limit(mine, {});
    expect(await storageOf(mine)).toMatchObject({ rows: { used: 1, limit: 1000 } });
  });
});

describe('a workspace with a limit of bytes', () => {
  const text = (bytes: number) => randomBytes((bytes * 3) / 4).toString('base64');

  it.each([
    ['POST', '/rest/prompt-templates'],
    ['PATCH', '/rest/prompt-templates/any'],
    ['PUT', '/prompt-templates/by-external-id/any/any'],
    ['POST', '/rest/workflows'],
    ['PATCH', '/rest/workflows/any'],
    ['POST', '/api/public/v2/tool-registry'],
    ['POST', '/api/public/v2/tool-registry/any/versions'],
    ['POST', '/api/public/v2/skill-collections/any/versions'],
  ] as const)('refuses new versions by %s %s when it is full', async (method, path) => {
    const mine = await customer();
    await limit(mine, { max_stored_bytes: 1 });
    const { status, body } = await mine.me.request(method, path, { text: 'some' });
    expect([status, body]).toMatchObject([403, { message: expect.stringContaining('stored_bytes') as string }]);
  });

  it('refuses logs and spans when it is full, and takes them when what it had was deleted and counted', async () => {
    const mine = await customer();
    await limit(mine, { max_stored_bytes: 10_000_000 });
    for (let log = 0; log < 3; log++) await logCall(mine.me, { input: text(200_000) });
    // The index of logs counts as well.
    await untilSearchable(app);
    await count();
    const used = await usedBy(mine);
    // Stored as a span and as a log.
    expect(used).toBeGreaterThan(600_000);

    const most = used + 20_000;
    await limit(mine, { max_stored_bytes: most });
    const near = await send(mine.me, [llmSpan({ input: 'small' })]);
    expect([near.status, near.headers['x-storage-warning']]).toEqual([200, expect.stringContaining(`/${most}`)]);
    const full = await send(mine.me, [llmSpan({ input: text(20_000) })]);
    expect([full.status, full.body]).toMatchObject([403, { error: 'workspace_full' }]);
    expect((await mine.me.request('POST', '/log-request', callOf(text(20_000)))).body).toMatchObject({
      error: 'workspace_full',
    });

    for (const table of ['request_logs', 'spans'])
      await app.sql(`DELETE FROM ${table} WHERE workspace_id = $1`, [mine.id]);
    await count();
    expect(await usedBy(mine)).toBeLessThan(used - 200_000);
    // Usage of a workspace is read every two seconds.
    await until(async () => (await send(mine.me, [llmSpan({ input: text(20_000) })])).status === 200);
  });

  it.runIf(IS_DEEP)('is counted for longer than statements of requests may take', async () => {
    const slow = await TestApp.own({
      env: { STATEMENT_TIMEOUT_MS: '10000', WORKSPACE_MAX_STORED_BYTES: '1000000000' },
    });
    let counted: Promise<void>;
    await slow.app.get(DataSource).transaction(async (tx) => {
      await tx.query('SET LOCAL statement_timeout = 0');
      await tx.query('LOCK TABLE tool_versions');
      counted = slow.sweep('storage');
      await until(async () => (await waitingForLocks(slow)) > 0);
      await tx.query('SELECT pg_sleep(11)');
    });
    await counted!;
    const [found] = await slow.sql('SELECT FROM workspace_storage WHERE stored_bytes > 0');
    expect(found).toBeDefined();
    await slow.stop();
  });

  it('counts what comes in chunks, whose size is not announced', async () => {
    const mine = await customer();
    await limit(mine, { max_stored_bytes: 10_000_000 });
    const before = await usedBy(mine);
    const { statusCode } = await app.app.inject({
      method: 'POST',
      url: '/log-request',
      headers: { 'x-api-key': mine.me.apiKey!, 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      payload: Readable.from([JSON.stringify(callOf(text(400_000)))]),
    });
    expect(statusCode).toBe(201);
    expect(await usedBy(mine)).toBeGreaterThan(before + 400_000);
  });

  it('counts what comes between two counts with the size in which it came', async () => {
    const mine = await customer();
    await limit(mine, { max_stored_bytes: 10_000_000 });
    await count();
    const before = await usedBy(mine);
    await logCall(mine.me, { input: 'x'.repeat(300_000) });
    expect(await usedBy(mine)).toBeGreaterThan(before + 300_000);
    await count();
    expect(await usedBy(mine)).toBeLessThan(before + 100_000);
  });
});
