import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BodyBudget } from '../../src/platform/http/body-budget.js';
import { RawConnection } from '../support/raw-connection.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;
const WINDOW_MS = 400;

let app: TestApp;
let url: string;
let otherKey: string;
let budget: BodyBudget;
const opened: RawConnection[] = [];
beforeAll(async () => {
  app = await TestApp.start({
    works: false,
    env: {
      BODY_LIMIT_BYTES: String(MIB),
      BODY_MEMORY_BYTES: String(4 * MIB),
      STRANGER_BODY_MEMORY_BYTES: String(MIB),
      // A thirtieth of the speed of the honest client, which a busy machine slows down.
      BODY_LEAST_BYTES_PER_SECOND: '100',
      BODY_SPEED_WINDOW_MS: String(WINDOW_MS),
      HEADERS_TIME_LIMIT_MS: '500',
    },
  });
  otherKey = (await app.stranger()).apiKey!;
  budget = app.app.get(BodyBudget);
  await app.listen();
  url = await app.app.getUrl();
});
afterAll(() => app.stop());
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
});

async function connect(): Promise<RawConnection> {
  const connection = await RawConnection.open(url);
  opened.push(connection);
  return connection;
}

/** Announces a body and sends the beginning of it. */
async function begin(path: string, { key = '', announced = MIB, sent = 1 }): Promise<RawConnection> {
  const connection = await connect();
  await connection.post(path, { 'content-length': announced, ...(key && { 'x-api-key': key }) });
  await connection.send(' '.repeat(sent));
  return connection;
}

async function post(path: string, body: object | string, headers: Record<string, string> = {}): Promise<number> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: text,
  });
  await answer.arrayBuffer();
  return answer.status;
}
const withKey = (key: string) => ({ 'x-api-key': key });
const EMPTY = { resourceSpans: [] };
const large = (bytes: number) => `{"resourceSpans":[],"padding":"${'x'.repeat(bytes)}"}`;

/** One request of every kind of caller. */
const everybody = () =>
  Promise.all([
    post('/v1/traces', EMPTY, withKey(app.apiKey)),
    post('/v1/traces', EMPTY, withKey(otherKey)),
    post('/create-group', { api_key: otherKey }),
    post('/api/public/v2/requests/search', {}, withKey(app.apiKey)),
  ]);

describe('bodies that are announced and do not come', () => {
  it('take no memory from anybody, with a key and without', async () => {
    for (let count = 0; count < 30; count++) {
      await begin('/track-request', {});
      await begin('/v1/traces', { key: app.apiKey, announced: 4 * MIB });
    }
    for (let round = 0; round < 5; round++) expect(await everybody()).toEqual([200, 200, 200, 200]);
  });

  it('are answered with 408, and the connection is closed', async () => {
    for (const slow of [await begin('/track-request', {}), await begin('/v1/traces', { key: app.apiKey })]) {
      const { status, text } = await slow.answer();
      expect([status, text]).toEqual([408, expect.stringContaining('BODY_LEAST_BYTES_PER_SECOND')]);
      expect(text.toLowerCase()).toContain('connection: close');
      await slow.closed;
    }
  });

  it('end in time however fast they come, when they never end', async () => {
    await app.withSettings({ bodyTimeLimitMs: 2000 }, async () => {
      const endless = await connect();
      await endless.post('/v1/traces', { 'transfer-encoding': 'chunked', ...withKey(app.apiKey) });
      let isOver = false;
      const over = endless.answer().finally(() => (isOver = true));
      while (!isOver) {
        await endless.send('400\r\n' + ' '.repeat(1024) + '\r\n');
        await wait(20);
      }
      expect((await over).status).toBe(408);
    });
  });

  it('arrive complete from an honest client on a slow line', async () => {
    const body = JSON.stringify({ api_key: app.apiKey, padding: 'x'.repeat(8000) });
    const slow = await connect();
    await slow.post('/create-group', { 'content-length': body.length });
    // Ten times as long as the time in which the speed is measured.
    for (let from = 0; from < body.length; from += 200) {
      await slow.send(body.slice(from, from + 200));
      await wait(WINDOW_MS / 6);
    }
    expect((await slow.answer()).status).toBe(200);
  });
});

describe('bodies that fill memory', () => {
  /** Holds so many bytes of memory for as long as the window lasts. */
  async function fill(path: string, { bytes, key = '' }: { bytes: number; key?: string }): Promise<void> {
    const held = () => budget['known'].total + budget['strangers'].total;
    await begin(path, { key, announced: bytes + 1, sent: bytes });
    await until(() => Promise.resolve(held() >= bytes));
  }

  it('from strangers leave the memory of callers with a key free', async () => {
    await fill('/track-request', { bytes: 400_000 });
    expect(await post('/create-group', large(300_000))).toBe(503);
    expect(await post('/v1/traces', large(2 * MIB), withKey(app.apiKey))).toBe(200);
    // Small bodies still fit, and so do bodies with a key in the header.
    expect(await everybody()).toEqual([200, 200, 200, 200]);
    await until(async () => (await post('/create-group', large(300_000))) === 401);
  });

  it('from one key leave half of the memory to others', async () => {
    await fill('/v1/traces', { bytes: 2_000_000, key: app.apiKey });
    expect(await post('/v1/traces', large(500_000), withKey(app.apiKey))).toBe(503);
    expect(await post('/v1/traces', large(1_500_000), withKey(otherKey))).toBe(200);
    await until(async () => (await post('/v1/traces', large(500_000), withKey(app.apiKey))) === 200);
  });

  it('are dropped when they are rejected, and the client still gets the answer', async () => {
    expect(await post('/v1/traces', large(3 * MIB), withKey('pl_wrong'))).toBe(401);
    expect(await post('/create-group', large(0.9 * MIB))).toBe(401);
    expect(await post('/create-group', large(3 * MIB))).toBe(413);
  });

  it('after decompression only are stopped as early', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB));
    const connection = await connect();
    await connection.post('/track-request', { 'content-length': bomb.length, 'content-encoding': 'gzip' });
    await connection.send(bomb);
    expect((await connection.answer()).status).toBe(413);
    expect(await everybody()).toEqual([200, 200, 200, 200]);
  });

  it('in chunks of one byte are one piece of memory', async () => {
    const connection = await connect();
    await connection.post('/create-group', { 'transfer-encoding': 'chunked' });
    const body = JSON.stringify({ api_key: app.apiKey, padding: 'x'.repeat(20_000) });
    await connection.send([...body].map((letter) => `1\r\n${letter}\r\n`).join('') + '0\r\n\r\n');
    expect((await connection.answer()).status).toBe(200);
  });

  it('in chunks without end are refused at the limit, and the connection is ended', async () => {
    const connection = await connect();
    await connection.post('/create-group', { 'transfer-encoding': 'chunked' });
    const chunk = `10000\r\n${' '.repeat(65536)}\r\n`;
    for (let count = 0; count < 20; count++) await connection.send(chunk);
    expect((await connection.answer()).status).toBe(413);
    while (connection.isOpen) {
      await connection.send(chunk);
      await wait(10);
    }
    await connection.closed;
  });
});

describe('what never becomes a request', () => {
  it.each([
    ['nothing', ''],
    ['half a line', 'GET /hea'],
    ['headers without end', 'GET /health/live HTTP/1.1\r\nhost: x\r\nx-a: 1\r\n'],
  ])('is given up in time: %s', async (_, text) => {
    const connection = await connect();
    await connection.send(text);
    await connection.closed;
    expect(connection.statuses).toEqual([408]);
  });

  it.each([
    ['two lengths', 'content-length: 2\r\ncontent-length: 40\r\n\r\n{}'],
    ['a list of lengths', 'content-length: 2, 40\r\n\r\n{}'],
    ['a length and chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a transfer encoding in disguise', 'transfer-encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['chunked not last', 'transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
    ['a negative length', 'content-length: -1\r\n\r\n'],
    ['a chunk without a length', 'transfer-encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['a header with a blank before the colon', 'content-length : 2\r\n\r\n{}'],
  ])('is refused, with whatever follows: %s', async (_, rest) => {
    const connection = await connect();
    await connection.send(`POST /v1/traces HTTP/1.1\r\nhost: x\r\nx-api-key: ${app.apiKey}\r\n${rest}`);
    await connection.send('GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n');
    await connection.closed;
    expect(connection.statuses.filter((status) => status < 400)).toEqual([]);
    expect(connection.statuses.length).toBe(1);
  });
});
