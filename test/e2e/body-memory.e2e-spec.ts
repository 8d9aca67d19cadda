import { once } from 'node:events';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BodyBudget } from '../../src/platform/http/body-budget.js';
import type { Client } from '../support/client.js';
import { WAITING } from '../support/one-batch.js';
import { envelope, span } from '../support/otlp.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await TestApp.start({
    works: false,
    env: { BODY_MEMORY_BYTES: String(MIB), BODY_MEMORY_SHARE_PERCENT: '100' },
  });
  client = app.client.with({ 'content-type': 'application/json' });
  await app.listen();
});
afterAll(() => app.stop());

/** An export without spans that takes so many bytes. */
const bodyOf = (bytes: number) => `{"resourceSpans":[],"padding":"${'x'.repeat(bytes)}"}`;
const send = (body: string | Buffer, headers = {}) => client.with(headers).request('POST', '/v1/traces', body);

/** A POST over a connection of its own that has announced a body and not sent it. */
async function open(path: string, bytes: number, headers: Record<string, string> = {}): Promise<http.ClientRequest> {
  const announced = { 'content-type': 'application/json', 'content-length': bytes, ...headers };
  const options = { method: 'POST', headers: announced, agent: false };
  const request = http.request(`${await app.app.getUrl()}${path}`, options).on('error', () => undefined);
  request.flushHeaders();
  return request;
}

/** One whose body holds memory: all of it is there but the last byte. */
async function fill(body: string): Promise<http.ClientRequest> {
  const request = await open('/v1/traces', body.length, { 'x-api-key': app.apiKey });
  request.write(body.slice(0, -1));
  await until(() => Promise.resolve(app.app.get(BodyBudget)['known'].total === body.length - 1));
  return request;
}

const isTaken = async (body: string): Promise<boolean> => (await send(body)).status === 200;

it('asks clients to retry while another body fills the memory, and takes them afterwards', async () => {
  const body = bodyOf(0.7 * MIB);
  const slow = await fill(body);
  const answered = new Promise<number>((resolve) => slow.once('response', ({ statusCode }) => resolve(statusCode!)));

  const refused = await send(body);
  expect([refused.status, refused.headers['retry-after'], refused.body]).toMatchObject([
    503,
    '1',
    { error: 'memory_exhausted' },
  ]);
  slow.end(body.slice(-1));
  expect(await answered).toBe(200);
  await until(() => isTaken(body));
});

it('holds no memory for a body that is only announced', async () => {
  const body = bodyOf(0.7 * MIB);
  const request = await open('/v1/traces', body.length, { 'x-api-key': app.apiKey, expect: '100-continue' });
  // The server says so when it takes the request on.
  await once(request, 'continue');
  expect(await isTaken(body)).toBe(true);
  request.destroy();
});

it('has the memory of a body back whose client hangs up in the middle', async () => {
  const body = bodyOf(0.7 * MIB);
  const request = await fill(body);
  request.destroy();
  await until(() => isTaken(body));
});

it('has the memory of a body back whose client does not wait for the answer', async () => {
  const body = JSON.stringify({ ...envelope([span()]), padding: 'x'.repeat(0.7 * MIB) });
  await app.inTransaction(async (sql) => {
    await sql('LOCK TABLE ingest_receipts IN SHARE ROW EXCLUSIVE MODE');
    const request = await open('/v1/traces', body.length, { 'x-api-key': app.apiKey });
    request.end(body);
    await until(async () => (await app.sql(WAITING)).length > 0);
    request.destroy();
    expect((await send(body)).status).toBe(503);
  });
  await until(() => isTaken(bodyOf(0.7 * MIB)));
});

it.each([
  ['leads nowhere', '/nowhere', 404],
  ['leads to what is only read', '/health/live', 405],
  ['comes from a stranger', '/v1/traces', 401],
])('does not wait for the body of a request that %s', async (_, path, status) => {
  const request = await open(path, MIB);
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  request.destroy();
  expect(answer.statusCode).toBe(status);
});

it('limits the time for a body', () => {
  const { requestTimeout } = app.app.getHttpServer() as http.Server;
  expect(requestTimeout).toBeGreaterThan(0);
});

it('takes a body larger than the memory when it is the only one', async () => {
  expect((await send(bodyOf(3 * MIB))).status).toBe(200);
});

it('counts the decompressed size of a body, and rejects bodies that can never fit', async () => {
  const gzip = { 'content-encoding': 'gzip' };
  expect((await send(gzipSync(bodyOf(0.7 * MIB)), gzip)).status).toBe(200);
  const [first, second] = await Promise.all([0, 1].map(() => send(gzipSync(bodyOf(20 * MIB)), gzip)));
  // Two requests at once exceed the memory limit, so at least one is rejected.
  expect([first!.status, second!.status]).toContain(503);
});
