import { once } from 'node:events';
import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;

let app: TestApp;
let client: Client;
beforeAll(async () => {
  app = await TestApp.start({ works: false, env: { BODY_MEMORY_BYTES: String(MIB) } });
  client = app.client.with({ 'content-type': 'application/json' });
});
afterAll(() => app.stop());

/** An export without spans that takes so many bytes. */
const bodyOf = (bytes: number) => `{"resourceSpans":[],"padding":"${'x'.repeat(bytes)}"}`;
const send = (body: string | Buffer, headers = {}) => client.with(headers).request('POST', '/v1/traces', body);

it('asks clients to retry while another body fills the memory, and takes them afterwards', async () => {
  await app.app.listen(0, '127.0.0.1');
  await client.get('/api/public/v2/tables');
  const body = bodyOf(0.7 * MIB);
  const headers = {
    'x-api-key': app.apiKey,
    'content-type': 'application/json',
    'content-length': body.length,
    expect: '100-continue',
  };
  const slow = http.request(`${await app.app.getUrl()}/v1/traces`, { method: 'POST', headers });
  const answered = new Promise<number>((resolve) => slow.once('response', ({ statusCode }) => resolve(statusCode!)));
  slow.flushHeaders();
  // The server says so when it takes the request on. It knows the key already, so the memory is reserved by then.
  await once(slow, 'continue');

  const refused = await send(body);
  expect([refused.status, refused.headers['retry-after'], refused.body]).toMatchObject([
    503,
    '1',
    { error: 'memory_exhausted' },
  ]);
  slow.end(body);
  expect(await answered).toBe(200);
  await until(async () => (await send(body)).status === 200);
});

it('takes a body larger than the memory when it is the only one', async () => {
  expect((await send(bodyOf(3 * MIB))).status).toBe(200);
});

it('counts what a compressed body becomes, and refuses what can never fit', async () => {
  const gzip = { 'content-encoding': 'gzip' };
  expect((await send(gzipSync(bodyOf(0.7 * MIB)), gzip)).status).toBe(200);
  const [first, second] = await Promise.all([0, 1].map(() => send(gzipSync(bodyOf(20 * MIB)), gzip)));
  // Two at once are too much for the memory; whoever is alone in the end is taken.
  expect([first!.status, second!.status]).toContain(503);
});
