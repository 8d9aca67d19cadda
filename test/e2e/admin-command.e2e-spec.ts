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
  return adminWith('', ...args);
}

function adminWith(input: string, ...args: string[]): { status: number | null; output: string } {
  const SECRETS_KEY = app.config.secretsKey!.toString('base64');
  const env = { PATH: process.env.PATH, DATABASE_URL: app.config.databaseUrl, SECRETS_KEY };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { env, input, encoding: 'utf8' });
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

it('adds model credentials, lists them without their secrets, and deletes them', () => {
  const added = adminWith(
    'sk-test-0123456789\n',
    'credentials',
    'add',
    '1',
    'vertexai',
    'main',
    '--option',
    'project=house',
  );
  const [, id] = /Added credential (\d+)\./.exec(added.output)!;
  const { output } = admin('credentials', 'list', '1');
  expect(output).toContain('vertexai\tmain\t…6789');
  expect(output).not.toContain('sk-test');
  expect(admin('credentials', 'delete', '1', id!).output).toContain('Deleted');
  expect(admin('credentials', 'list', '1').output).toBe('');
});

it.each([
  [['credentials', 'add', '1', 'ollama', 'main'], 'needs a base_url'],
  [['credentials', 'add', '1', 'vertexai', 'main', '--option', 'project'], '--option should be NAME=VALUE'],
  [['credentials', 'delete', '1', '999'], 'Model credential 999 was not found'],
  [[], 'Usage'],
  [['keys', 'list', '999'], 'Workspace 999 was not found'],
  [['keys', 'create', '1', '--role', 'king'], '--role must be one of'],
  [['keys', 'list', 'one'], 'Usage'],
  [['keys', 'revoke', '1', '999'], 'API key 999 was not found'],
])('refuses %j with a sentence', (args, message) => {
  const { status, output } = admin(...args);
  expect([status, output]).toEqual([1, expect.stringContaining(message)]);
});
