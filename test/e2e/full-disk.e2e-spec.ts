import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Metrics } from '../../src/platform/telemetry/metrics.js';
import type { Answer, Client } from '../support/client.js';
import { readExport, startExport } from '../support/exports.js';
import { askColumn, freshTexts, shown } from '../support/external-cells.js';
import { addCount, cellsOf, newSheet, settled, TABLES } from '../support/factories.js';
import { refuseWrites } from '../support/full-disk.js';
import { llmSpan, logCall, readSpans, send } from '../support/otlp.js';
import { publishPrompt } from '../support/prompts.js';
import { ended, postFile } from '../support/sheets.js';
import { sweepUntil } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { WaitingService } from '../support/waiting-service.js';
import WaitingModule from '../support/waiting.extension.js';
import { Customers, IMPATIENT, namesIn, untilNews } from '../support/webhooks.js';

const REFUSED = {
  status: 503,
  headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
  body: { success: false, error: 'storage_unavailable' },
};

/** Bodies of requests that clients send while the disk is full. */
const CALL = {
  provider: 'openai',
  model: 'gpt-4o',
  input: { type: 'chat', messages: [{ role: 'user', content: 'Hi' }] },
  output: { type: 'chat', messages: [{ role: 'assistant', content: 'Hello' }] },
  request_start_time: 1780000000,
  request_end_time: 1780000001,
};
const TRACKED = { function_name: 'openai.chat.completions.create', request_start_time: 1, request_end_time: 2 };

let app: TestApp;
let me: Client;
let service: WaitingService;
const customers = new Customers(() => app);
let free: () => Promise<void> = () => Promise.resolve();
beforeAll(async () => {
  service = await WaitingService.start();
  app = await TestApp.start({ extensions: [WaitingModule], env: IMPATIENT });
  me = app.client;
});
afterEach(() => free());
afterAll(async () => {
  await app.stop();
  await customers.stopReceivers();
  await service.stop();
});

async function fill(given: Parameters<typeof refuseWrites>[1] = {}): Promise<void> {
  free = await refuseWrites(app, given);
}

const readiness = (client: Client) => client.request('GET', '/health/ready');

describe('the readiness of a process', () => {
  const toState = ({ status, body }: Answer) => {
    const { workers: _, ...state } = body as { workers: number };
    return { status, body: state };
  };
  const storage = async () => ((await readiness(me)).body as { storage: string }).storage;
  const DOWN = { status: 200, body: { status: 'up', database: 'up', storage: 'down', redis: 'up' } };

  it('says that nothing can be stored since a write has failed, and that reading goes on', async () => {
    expect(await storage()).toBe('up');
    await fill();
    await me.request('POST', TABLES, { title: 'lost' });
    expect(await readiness(me)).toMatchObject(DOWN);
    await free();
    await until(async () => (await storage()) === 'up');
  });

  it('says so of a read-only database before anybody writes', async () => {
    await setReadOnly('on');
    await until(async () => isDeepStrictEqual(toState(await readiness(me)), DOWN));
    expect(await me.request('POST', TABLES, { title: 'lost' })).toMatchObject(REFUSED);
    expect(await me.request('GET', TABLES)).toMatchObject({ status: 200 });
    await setReadOnly('off');
    await until(async () => (await me.request('POST', TABLES, { title: 'kept' })).status === 201);
    await until(async () => (await storage()) === 'up');
  });

  /**
   * Makes the database read-only like an administrator would. Open connections keep their old setting, so they are
   * ended.
   */
  async function setReadOnly(state: 'on' | 'off'): Promise<void> {
    const operator = new pg.Client({
      connectionString: app.config.databaseUrl,
      options: '-c default_transaction_read_only=off',
    });
    await operator.connect();
    const { rows } = await operator.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
    await operator.query(`ALTER DATABASE ${rows[0]!.name} SET default_transaction_read_only = ${state}`);
    await operator.query(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'tracesheet'`);
    await operator.end();
  }
});

describe('while the database cannot write', () => {
  it.each([
    ['its disk is full', '53100'],
    ['its disk fails', '58030'],
    ['its memory is used up', '53200'],
    ['a limit of its configuration is reached', '53400'],
    ['it is read-only', '25006'],
  ])('when %s, every request that stores something gets 503 and Retry-After', async (_, code) => {
    const sheet = await newSheet(me);
    const known = await app.stranger();
    await fill({ code });
    const requests: [path: string, body: object][] = [
      [TABLES, { title: 'lost' }],
      [`${sheet.path}/rows`, {}],
      ['/log-request', CALL],
      ['/track-request', TRACKED],
      ['/api/public/v2/exports', { source: 'requests', format: 'csv' }],
    ];
    for (const [path, body] of requests) expect(await me.request('POST', path, body)).toMatchObject(REFUSED);
    expect(await me.with({ 'idempotency-key': code }).request('POST', TABLES, {})).toMatchObject(REFUSED);
    expect(await postFile(me, sheet.path, 'Text\na\n')).toMatchObject(REFUSED);
    expect(await send(known, [llmSpan()])).toMatchObject(REFUSED);
  });

  it('reading goes on, also with a key that was not used before', async () => {
    const sheet = await newSheet(me, ['a']);
    const id = await logCall(me);
    const spans = [llmSpan()];
    await send(me, spans);
    const issued = await app.operator().post('/api/admin/v1/workspaces/1/api-keys', { role: 'viewer' }, 201);
    await fill();
    for (const reader of [me, app.clientWith((issued as { secret: string }).secret)]) {
      for (const path of [TABLES, `${sheet.path}/rows`, `/api/public/v2/requests/${id}`]) {
        expect([path, (await reader.request('GET', path)).status]).toEqual([path, 200]);
      }
      for (const path of ['/api/public/v2/traces/search', '/api/public/v2/requests/search']) {
        expect([path, (await reader.request('POST', path, { q: 'Hi' })).status]).toEqual([path, 200]);
      }
    }
    expect(await readSpans(me, spans[0]!.traceId)).toHaveLength(1);
  });

  it('spans are rejected, and acknowledged ones that are sent again are stored once', async () => {
    const [before, after] = [[llmSpan()], [llmSpan(), llmSpan()]];
    expect(await send(me, before)).toMatchObject({ status: 200 });
    await fill();
    for (let times = 0; times < 3; times++) expect(await send(me, after)).toMatchObject(REFUSED);
    await free();
    expect(await send(me, after)).toMatchObject({ status: 200 });
    for (const { traceId } of [...before, ...after]) expect(await readSpans(me, traceId)).toHaveLength(1);
  });
});

/** Number of failures for a kind of work in this process. */
async function failures(kind: string): Promise<number> {
  const { values } = await app.app.get(Metrics).counters.workClaims.get();
  return values.find(({ labels }) => labels.kind === kind && labels.outcome === 'failed')?.value ?? 0;
}

/** Sweeps that take up work which was given back. */
const WORK = ['exports', 'imports', 'computation', 'external-cells', 'events'];
/** Work that is left for these sweeps. */
const OPEN = `
  SELECT FROM exports WHERE status IN ('queued', 'running')
  UNION ALL SELECT FROM import_operations WHERE status IN ('queued', 'running')
  UNION ALL SELECT FROM computation_tasks`;

/** One more than the attempts that work has. */
const TRIES = 6;

describe('work that cannot be stored', () => {
  it('is tried until there is room: none of it fails, loses an attempt or is paid for twice', async () => {
    const subscribed = await customers.subscribe();
    const customer = subscribed.me;
    await untilNews(app, subscribed, 'before');
    await logCall(customer);
    const texts = freshTexts(2);
    const [sheet, asked, imported] = [
      await newSheet(customer, texts),
      await newSheet(customer, texts),
      await newSheet(customer),
    ];
    await fill({ tables: ['export_chunks', 'webhook_deliveries', 'cells'] });

    const exported = await startExport(customer, { source: 'requests', format: 'csv' });
    const length = await addCount(customer, sheet, 'Length');
    const answer = await askColumn(customer, asked, service.url);
    const { body } = await postFile(customer, imported.path, 'Text\na\nb\n');
    await publishPrompt(customer, 'meanwhile');
    await sweepUntil(app, WORK, async () => {
      const counts = await Promise.all(['export', 'cells', 'import'].map(failures));
      return counts.every((count) => count >= TRIES);
    });
    expect(['queued', 'running']).toContain((await readExport(customer, exported)).status);
    await free();

    await untilNews(app, subscribed, 'after');
    expect(namesIn(subscribed.receiver).slice(-2)).toEqual(['meanwhile', 'after']);
    await sweepUntil(app, WORK, async () => (await app.sql(OPEN)).length === 0);
    expect(await readExport(customer, exported)).toMatchObject({ status: 'completed' });
    expect(await app.sql('SELECT attempts FROM exports WHERE id = $1', [exported.id])).toEqual([{ attempts: 1 }]);
    const { operation_id: id } = body as { operation_id: string };
    expect(await ended(customer, parentOf(imported.path), id)).toMatchObject({ status: 'completed', rows_added: 2 });
    for (const each of [sheet, asked]) await settled(customer, each);
    expect((await cellsOf(customer, sheet, length.id)).map(({ value }) => value)).toEqual(
      texts.map((text) => text.length),
    );
    expect(shown(await cellsOf(customer, asked, answer.id))).toEqual(
      texts.map((text) => ['completed', text.toUpperCase()]),
    );
    expect(service.total).toBe(texts.length);
  });
});

const parentOf = (path: string) => path.replace(/\/[^/]+$/, '');
