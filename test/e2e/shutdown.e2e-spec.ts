import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { bootstrap } from '../../src/access/index.js';
import { freePort } from '../../src/embedded/ports.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { LiveSocket } from '../support/live.js';

const BODY = JSON.stringify({ resourceSpans: [] });
const entry = (name: string) => path.resolve(import.meta.dirname, `../../dist/src/${name}.js`);

let database: TestDatabase;
let apiKey: string;
beforeAll(async () => {
  database = await testDatabase();
  apiKey = (await bootstrap(database.url))!.apiKey;
});
afterAll(() => database.close());

async function start(name: 'main' | 'worker', env: Record<string, string> = {}): Promise<ChildProcess> {
  const common = {
    PATH: process.env.PATH,
    DATABASE_URL: database.url,
    REDIS_URL: inject('redisUrl'),
    LOG_LEVEL: 'fatal',
  };
  const child = spawn(process.execPath, [entry(name)], {
    env: { ...common, QUEUE_PREFIX: 'shutdown', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

/** A request whose body is still on its way. `finish` sends the rest and gives the status. */
async function requestInFlight(port: number): Promise<{ request: http.ClientRequest; finish: () => Promise<number> }> {
  const headers = {
    'x-api-key': apiKey,
    'content-type': 'application/json',
    'content-length': BODY.length,
    expect: '100-continue',
  };
  const request = http.request({ port, method: 'POST', path: '/v1/traces', headers });
  request.on('error', () => undefined);
  request.flushHeaders();
  // The server says so when it takes the request on.
  await once(request, 'continue');
  const finish = async () => {
    request.end(BODY);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return response.statusCode!;
  };
  return { request, finish };
}

it('answers what it is working on before it ends', async () => {
  const port = await freePort();
  const api = await start('main', { PORT: String(port) });
  const ended = once(api, 'exit');
  const { finish } = await requestInFlight(port);
  api.kill('SIGTERM');
  expect(await finish()).toBe(200);
  expect(await ended).toEqual([0, null]);
});

it('ends with live connections open, one of which never reads', async () => {
  const port = await freePort();
  const env = { PORT: String(port), SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
  const api = await start('main', env);
  const ended = once(api, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const { default_sheet: sheet } = (await post('/api/public/v2/tables', { title: 'Followed' })) as {
    default_sheet: { id: string };
  };
  const channel = `smart_sheets:smart_sheet#${sheet.id}`;
  const { token_details: details } = (await post(
    `/ws-token-request-library?capability=${encodeURIComponent(channel)}`,
    {},
  )) as { token_details: { token: string } };
  const address = `ws://127.0.0.1:${port}/connection/websocket`;
  const [reader, other] = [
    await LiveSocket.connect(address, details.token),
    await LiveSocket.connect(address, details.token),
  ];
  await reader.ask({ subscribe: { channel } });
  other.socket.pause();
  api.kill('SIGTERM');
  expect(await reader.closed).toEqual([3001, 'shutdown']);
  expect(await ended).toEqual([0, null]);
  other.close();
});

it('ends within its limit even when a request never does', async () => {
  const port = await freePort();
  const api = await start('main', { PORT: String(port), SHUTDOWN_TIMEOUT_MS: '300' });
  const ended = once(api, 'exit');
  const { request } = await requestInFlight(port);
  api.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
  request.destroy();
});

it('ends with the process that started it', async () => {
  const worker = await start('worker');
  const ended = once(worker, 'exit');
  worker.disconnect();
  expect(await ended).toEqual([0, null]);
});

it('does not start with a configuration that makes no sense, and says all that is wrong', async () => {
  const child = spawn(process.execPath, [entry('main')], {
    env: { PATH: process.env.PATH, DATABASE_URL: 'nonsense', PORT: 'x' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  child.stderr.on('data', (text) => (output += String(text)));
  expect(await ended).toEqual([1, null]);
  for (const name of ['DATABASE_URL', 'REDIS_URL', 'PORT']) expect(output).toContain(name);
});
