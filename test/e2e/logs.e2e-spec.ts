import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, inject } from 'vitest';
import { bootstrap } from '../../src/access/index.js';
import { APP_ENTRIES, type AppName } from '../../src/app-entries.js';
import { freePort } from '../../src/embedded/ports.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { JSON_TYPE } from '../support/otlp.js';
import { ProductProcess } from '../support/server-processes.js';
import { ADMIN_TOKEN } from '../support/test-app.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let api: ProductProcess;
let apiKey: string;
let url: string;
beforeAll(async () => {
  database = await testDatabase();
  apiKey = (await bootstrap(database.url))!.apiKey;
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  api = await ProductProcess.start('api', { ...services(port), ADMIN_TOKEN, LOG_LEVEL: 'trace' });
});
const services = (port: number) => ({
  DATABASE_URL: database.url,
  REDIS_URL: inject('redisUrl'),
  QUEUE_PREFIX: 'logs',
  PORT: String(port),
});
afterAll(async () => {
  await api.stop();
  await database.close();
});

it('says who did what and how it ended, one JSON object a line, and never a secret', async () => {
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { 'x-request-id': 'find-me', ...init.headers } });
  const secret = 'pl_SecretSecretSecretSecretSecretSecretSecret';
  await send('/api/public/v2/tables', { headers: { 'x-api-key': apiKey } });
  await send('/api/public/v2/tables', { headers: { 'x-api-key': secret } });
  await send(`/api/public/v2/tables?api_key=${secret}`, { headers: { 'x-api-key': apiKey } });
  await send('/api/admin/v1/workspaces', { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  const body = JSON.stringify({ title: secret, folder_id: 'no' });
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  await send('/api/public/v2/tables', { method: 'POST', headers, body });
  for (const api_key of [apiKey, secret]) {
    await send('/create-group', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ api_key }) });
  }
  await send('/last', { headers: { 'x-request-id': 'the-last-one' } });
  await until(async () => api.recentOutput.includes('the-last-one'));

  const lines = api.recentOutput.split('\n').filter((line) => line.startsWith('{"level"'));
  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request');
  expect(
    requests.map(({ requestId, method, route, status, workspaceId }) => [
      requestId,
      method,
      route,
      status,
      workspaceId,
    ]),
  ).toEqual([
    ['find-me', 'GET', '/api/public/v2/tables', 200, 1],
    ['find-me', 'GET', '/api/public/v2/tables', 401, undefined],
    ['find-me', 'GET', '/api/public/v2/tables', 200, 1],
    ['find-me', 'GET', '/api/admin/v1/workspaces', 200, undefined],
    ['find-me', 'POST', '/api/public/v2/tables', 422, 1],
    ['find-me', 'POST', '/create-group', 200, 1],
    ['find-me', 'POST', '/create-group', 401, undefined],
    ['the-last-one', 'GET', 'unknown', 404, undefined],
  ]);
  for (const hidden of [apiKey, secret, ADMIN_TOKEN]) expect(api.recentOutput).not.toContain(hidden);
});

it.each(Object.keys(APP_ENTRIES) as AppName[])(
  'says in one sentence which options of node are missing, and the %s works without them',
  async (name) => {
    const { file, nodeOptions } = APP_ENTRIES[name];
    const env = { PATH: process.env.PATH, ...services(await freePort()), LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, [`dist/src/${file}`], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    const output = text(child.stdout!);
    const [ready] = (await once(child, 'message')) as [unknown];
    child.kill('SIGTERM');
    const lines = (await output).split('\n').filter(Boolean);
    expect(ready).toEqual({ ready: true });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`npm run start:${name}\\", or give node these options: ${nodeOptions.join(' ')}`);
    expect(api.recentOutput).not.toContain('these options');
  },
);
