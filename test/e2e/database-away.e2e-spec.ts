import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { newSheet, TABLES } from '../support/factories.js';
import { llmSpan, readSpans, send } from '../support/otlp.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let proxy: Proxy;
let app: TestApp;
let me: Client;
beforeAll(async () => {
  proxy = await startProxy();
  app = await TestApp.start({ works: false, via: (url) => proxy.through(url) });
  me = app.client;
});
afterEach(() => proxy.restore());
afterAll(async () => {
  await app.stop();
  await proxy.close();
});

const PASSING = { status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } };

describe('while the database is away', () => {
  it('every kind of request is answered with 503 and when to come back', async () => {
    const sheet = await newSheet(me);
    await proxy.cut();
    for (const url of [TABLES, `${TABLES}/${sheet.tableId}`, `${sheet.path}/rows`, '/api/public/v2/requests/1']) {
      expect(await me.request('GET', url)).toMatchObject({
        ...PASSING,
        body: { success: false, error: 'database_unavailable' },
      });
    }
    expect(await me.request('POST', TABLES, { title: 'lost' })).toMatchObject(PASSING);
    expect(await me.with({ 'idempotency-key': 'away' }).request('POST', TABLES, {})).toMatchObject(PASSING);
    expect(await me.request('POST', `${sheet.path}/rows`, {})).toMatchObject(PASSING);
  });

  it('no key is rejected as wrong while it cannot be looked up', async () => {
    await proxy.cut();
    const unseen = app.clientWith(`pl_${'y'.repeat(46)}`);
    expect(await unseen.request('GET', TABLES)).toMatchObject(PASSING);
    expect(await send(unseen, [llmSpan()])).toMatchObject(PASSING);
  });

  it('the process says that it lives and is not ready', async () => {
    await proxy.cut();
    expect(await me.request('GET', '/health/live')).toMatchObject({ status: 200 });
    expect(await me.request('GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { status: 'down', database: 'down', redis: 'up' },
    });
    await proxy.restore();
    await until(async () => (await me.request('GET', '/health/ready')).status === 200);
  });

  it.each(['/console/', '/console/icon.svg', '/docs', '/openapi.json', '/health/live'])(
    '%s is sent with any credential',
    async (url) => {
      const accept = { accept: url.startsWith('/console/i') ? '*/*' : 'text/html' };
      await proxy.cut();
      for (const credential of [{ cookie: `ts_session=${'x'.repeat(43)}` }, { 'x-api-key': `pl_${'z'.repeat(46)}` }]) {
        const answer = await app.app.inject({ url, headers: { ...accept, ...credential } });
        expect([url, answer.statusCode]).toEqual([url, 200]);
      }
    },
  );

  it('exports are refused, and stored once when they are sent again', async () => {
    const spans = [llmSpan(), llmSpan()];
    await proxy.cut();
    for (let times = 0; times < 3; times++) expect(await send(me, spans)).toMatchObject(PASSING);
    await proxy.restore();
    await until(async () => (await send(me, spans)).status === 200);
    for (const { traceId } of spans) expect(await readSpans(me, traceId)).toHaveLength(1);
  });

  it('calls that are logged are refused, and stored when they are sent again', async () => {
    const said = (role: string) => ({ type: 'chat', messages: [{ role, content: 'Hi' }] });
    const times = { request_start_time: 1780000000, request_end_time: 1780000001 };
    const call = { provider: 'openai', model: 'gpt-4o', input: said('user'), output: said('assistant'), ...times };
    const routes: [string, object][] = [
      ['/log-request', call],
      ['/track-request', { function_name: 'openai.chat.completions.create', ...times }],
    ];
    for (const [path, body] of routes) await me.request('POST', path, body);
    await proxy.cut();
    for (const [path, body] of routes) expect(await me.request('POST', path, body)).toMatchObject(PASSING);
    await proxy.restore();
    for (const [path, body] of routes) await until(async () => (await me.request('POST', path, body)).status < 300);
  });

  it('open requests end with 503 or with their result, and nothing else', async () => {
    const exports = Array.from({ length: 8 }, () => [llmSpan()]);
    const answers = exports.map((spans) => send(me, spans));
    await proxy.cut();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
    await proxy.restore();
    await until(async () => (await me.request('GET', TABLES)).status === 200);
    for (const [index, [sent]] of exports.entries()) {
      if (statuses[index] === 200) expect(await readSpans(me, sent!.traceId)).toHaveLength(1);
    }
  });
});

it('a request that gets no connection in time is answered with 503, and later ones as usual', async () => {
  const busy = await TestApp.own({ works: false, env: { DATABASE_POOL: '3', DATABASE_WAIT_MS: '2000' } });
  try {
    const holders = [1, 2, 3].map(() => busy.app.get(DataSource).createQueryRunner());
    await Promise.all(holders.map((holder) => holder.connect()));
    expect(await busy.client.request('GET', TABLES)).toMatchObject({
      ...PASSING,
      body: { error: 'database_unavailable' },
    });
    await Promise.all(holders.map((holder) => holder.release()));
    await busy.client.get(TABLES);
  } finally {
    await busy.stop();
  }
});
