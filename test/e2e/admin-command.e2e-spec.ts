import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const COMMAND = path.resolve(import.meta.dirname, '../../dist/src/embedded/admin.js');

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.start({ works: false });
});
afterAll(() => app.stop());

function admin(...args: string[]): { status: number | null; output: string } {
  const env = { PATH: process.env.PATH, DATABASE_URL: app.config.databaseUrl };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

it('creates workspaces and keys that work, and revokes them', async () => {
  const created = admin('workspaces', 'create', 'Support');
  const workspace = /Created workspace (\d+)\./.exec(created.output)![1]!;
  expect(admin('workspaces', 'list').output).toContain(`${workspace}\tSupport`);

  const issued = admin('keys', 'create', workspace, '--name', 'exporter', '--role', 'viewer');
  const [, key] = /Created key (\d+)/.exec(issued.output)!;
  const client = app.clientWith(issued.output.trim().split('\n').at(-1)!);
  await client.get('/api/public/v2/tables');
  await client.post('/api/public/v2/tables', {}, 403);

  expect(admin('keys', 'rename', workspace, key!, 'old exporter').output).toContain('old exporter');
  expect(admin('keys', 'revoke', workspace, key!).output).toContain('revoked');
  await until(async () => (await client.request('GET', '/api/public/v2/tables')).status === 401);
});

it.each([
  [[], 'Usage'],
  [['keys', 'list', '999'], 'Workspace 999 was not found'],
  [['keys', 'create', '1', '--role', 'king'], '--role must be one of'],
  [['keys', 'list', 'one'], 'Usage'],
  [['keys', 'revoke', '1', '999'], 'API key 999 was not found'],
])('refuses %j with a sentence', (args, message) => {
  const { status, output } = admin(...args);
  expect([status, output]).toEqual([1, expect.stringContaining(message)]);
});
