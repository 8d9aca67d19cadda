import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Centrifuge, type PublicationContext } from 'centrifuge';
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { createApp } from '../../src/app.js';
import type { Client } from '../support/client.js';
import { recalculate } from '../support/external-cells.js';
import { addCount, newSheet, settled, TABLES, type TestSheet } from '../support/factories.js';
import { addressOf, channelOf, LiveSocket, tokenFor, type Update } from '../support/live.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { untilQueuesAnswer } from '../support/sweeps.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

let app: TestApp;
let me: Client;
let url: string;
/** Another process, which serves requests and computes nothing. */
let other: NestFastifyApplication;
beforeAll(async () => {
  app = await TestApp.own();
  me = app.client;
  url = await addressOf(app.app);
  other = await createApp({ config: app.config, works: false });
});
afterAll(async () => {
  await other.close();
  await app.stop();
});

interface Active {
  active_operations: { operation_id: string }[];
}

const opened: { close(): void }[] = [];
afterEach(() => opened.splice(0).forEach((each) => each.close()));

async function countedSheet(rows = 90): Promise<TestSheet> {
  const texts = Array.from({ length: rows }, (_, row) => `text ${row}`);
  const sheet = await newSheet(me, texts);
  await addCount(me, sheet, 'Length');
  await settled(me, sheet);
  return sheet;
}

async function follow(sheet: TestSheet, at = url, client = me): Promise<LiveSocket> {
  const channel = channelOf(sheet);
  const live = await LiveSocket.connect(at, (await tokenFor(client, channel)).token);
  opened.push(live);
  expect(await live.ask({ subscribe: { channel } })).toEqual({ id: 2, subscribe: {} });
  return live;
}

const again = (sheet: TestSheet) => recalculate(me, sheet, { statuses: [] });

it('sends a published client the progress and the end of an execution', async () => {
  const sheet = await countedSheet();
  const channel = channelOf(sheet);
  const { token } = await tokenFor(me, channel);
  const client = new Centrifuge(url, { token, websocket: WebSocket });
  opened.push({ close: () => client.disconnect() });
  const updates: Update[] = [];
  const subscription = client.newSubscription(channel);
  subscription.on('publication', ({ data }: PublicationContext) => {
    expect(data).toMatchObject({ message_name: 'SMART_TABLE_EXECUTION_STATUS_UPDATE' });
    updates.push((data as { data: Update }).data);
  });
  subscription.subscribe();
  client.connect();
  await subscription.ready();
  const id = await again(sheet);
  const ofThis = () => updates.filter((update) => update.execution_id === id);
  await until(() => Promise.resolve(ofThis().at(-1)?.status === 'completed'));
  expect(ofThis().at(-1)).toEqual({ execution_id: id, status: 'completed', completed: 90, failed: 0, total: 90 });
  // It never goes back.
  const done = ofThis().map((update) => update.completed);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  subscription.unsubscribe();
});

it('notifies followers in other processes', async () => {
  const sheet = await countedSheet();
  const live = await follow(sheet, await addressOf(other));
  const id = await again(sheet);
  expect(await live.update(id, 'completed')).toMatchObject({ completed: 90, total: 90 });
});

it('sends late followers the executions that have ended', async () => {
  const sheet = await countedSheet();
  const id = await again(sheet);
  await settled(me, sheet);
  expect(await (await follow(sheet)).update(id, 'completed')).toMatchObject({ completed: 90 });
  expect(await (await follow(sheet, await addressOf(other))).update(id, 'completed')).toMatchObject({ completed: 90 });
});

it('reports executions that are queued, cancelled, and removed with their rows', async () => {
  const idle = await TestApp.own({ works: false });
  try {
    const at = await addressOf(idle.app);
    const client = idle.client;
    const sheet = await newSheet(client, ['a', 'b', 'c']);
    const column = await addCount(client, sheet, 'Length');
    const active = async () =>
      ((await client.get(`${sheet.path}/operations`)) as Active).active_operations[0]!.operation_id;
    const id = await active();
    const live = await follow(sheet, at, client);
    expect(await live.update(id, 'queued')).toMatchObject({ completed: 0, total: 3 });
    await client.delete(`${sheet.path}/operations/${id}`);
    expect(await live.update(id, 'cancelled')).toMatchObject({ total: 0 });
    const second = await recalculate(client, sheet, { column_ids: [column.id] });
    await live.update(second, 'queued');
    await client.delete(`${sheet.path}/operations/${second}`);
    await client.patch(sheet.path, { auto_recalculate: 'deterministic' });
    expect(await live.update(await active(), 'queued')).toMatchObject({ completed: 0, total: 3 });
  } finally {
    await idle.stop();
  }
});

it('notifies only followers of the sheet', async () => {
  const [mine, another] = [await countedSheet(3), await countedSheet(3)];
  const [live, bystander] = [await follow(mine), await follow(another)];
  const id = await again(mine);
  await live.update(id, 'completed');
  const last = await again(another);
  await bystander.update(last, 'completed');
  expect(JSON.stringify(bystander.frames)).not.toContain(id);
  // A client that unsubscribed gets no updates either.
  await live.ask({ unsubscribe: { channel: channelOf(mine) } });
  const unseen = await again(mine);
  await settled(me, mine);
  await live.ask({ ping: {} });
  expect(JSON.stringify(live.frames)).not.toContain(unseen);
});

it('continues without Redis, and sends missed updates when Redis is back', async () => {
  const proxy: Proxy = await startProxy();
  const cut = await TestApp.start({ env: { REDIS_URL: proxy.through(inject('redisUrl')) } });
  try {
    const client = cut.client;
    const at = await addressOf(cut.app);
    const sheet = await newSheet(client, ['a', 'b']);
    const first = await follow(sheet, at, client);
    await proxy.cut();
    const second = await follow(sheet, at, client);
    await addCount(client, sheet, 'Length');
    await proxy.restore();
    // The notification was lost.
    await untilQueuesAnswer(cut.app);
    await cut.sweep('computation');
    const told = (live: LiveSocket) => live.find(({ push }) => push?.pub.data.data.total === 2);
    await Promise.all([told(first), told(second)]);
  } finally {
    await cut.stop();
    await proxy.close();
  }
});

it('gives no token for missing sheets', async () => {
  const sheet = await newSheet(me);
  const stranger = await app.stranger();
  const ask = async (channel: string, client = me) =>
    (await client.request('POST', `/ws-token-request-library?capability=${encodeURIComponent(channel)}`)).status;
  expect(await ask(channelOf(sheet))).toBe(201);
  expect(
    await ask(channelOf(sheet).toUpperCase().replace('SMART_SHEETS:SMART_SHEET', 'smart_sheets:smart_sheet')),
  ).toBe(201);
  expect(await ask(channelOf(sheet), stranger)).toBe(404);
  await me.request('DELETE', sheet.path);
  expect(await ask(channelOf(sheet))).toBe(404);
  for (const channel of [
    'news',
    'smart_sheets:smart_sheet#1',
    'smart_sheets:*',
    `x${channelOf(sheet)}`,
    'a\0b',
    '\ud800'.toWellFormed(),
  ]) {
    const url = `/ws-token-request-library?capability=${encodeURIComponent(channel)}`;
    expect(await me.request('POST', url)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('smart_sheets:smart_sheet#{sheet_id}') },
    });
  }
  for (const query of ['', '?capability=', `?capability=${'x'.repeat(256)}`, '?capability=a&capability=b']) {
    expect((await me.request('POST', `/ws-token-request-library${query}`)).status).toBe(422);
  }
  await app.clientWith(null).post(`/ws-token-request-library?capability=${TABLES}`, undefined, 401);
});

it('returns the channel and the expiry of a token', async () => {
  const sheet = await newSheet(me);
  const before = Date.now();
  const details = await tokenFor(me, channelOf(sheet));
  expect(details).toMatchObject({ capability: { [channelOf(sheet)]: ['subscribe'] }, clientId: expect.any(String) });
  expect(details.issued).toBeGreaterThan(before - 2000);
  expect(details.expires - details.issued).toBe(7_200_000);
});
