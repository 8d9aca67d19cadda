import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { TestApp } from '../support/test-app.js';
import { until } from '../support/until.js';

const COMMAND = path.resolve(import.meta.dirname, '../../dist/src/embedded/admin.js');

let app: TestApp;
beforeAll(async () => {
  app = await TestApp.own({ works: false });
});
afterAll(() => app.stop());

const environment = () => ({
  DATABASE_URL: app.config.databaseUrl,
  SECRETS_KEY: app.config.secretsKey!.toString('base64'),
});

interface Ended {
  status: number | null;
  output: string;
}

/** The command as it is typed, in a process of its own. */
function typed(input: string, ...args: string[]): Ended {
  const env = { PATH: process.env.PATH, ...environment() };
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { env, input, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** Runs the command in this process, because starting another one takes a second. */
async function admin(...args: string[]): Promise<Ended> {
  let output = '';
  const say = (line: string) => void (output += `${line}\n`);
  try {
    await runAdminCommand(args, { env: environment(), say, readSecret: () => Promise.resolve('sk-test-0123456789') });
    return { status: 0, output };
  } catch (error) {
    return { status: 1, output: output + describeFailure(error) };
  }
}

it('creates workspaces and keys that work, and revokes them', async () => {
  const created = typed('', 'workspaces', 'create', 'Support');
  const workspace = /Created workspace (\d+)\./.exec(created.output)![1]!;
  expect((await admin('workspaces', 'list')).output).toContain(`${workspace}\tSupport`);

  const issued = await admin('keys', 'create', workspace, '--name', 'exporter', '--role', 'viewer,publisher');
  expect((await admin('keys', 'list', workspace)).output).toContain('viewer,publisher\tactive\texporter');
  const [, key] = /Created key (\d+)/.exec(issued.output)!;
  const client = app.clientWith(issued.output.trim().split('\n').at(-1)!);
  await client.get('/api/public/v2/tables');
  await client.post('/api/public/v2/tables', {}, 403);

  expect((await admin('keys', 'rename', workspace, key!, 'old exporter')).output).toContain('old exporter');
  expect((await admin('keys', 'revoke', workspace, key!)).output).toContain('revoked');
  await until(async () => (await client.request('GET', '/api/public/v2/tables')).status === 401);
});

it('adds model credentials, lists them without their secrets, and deletes them', async () => {
  const added = typed(
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
  const { output } = await admin('credentials', 'list', '1');
  expect(output).toContain('vertexai\tmain\t…6789');
  expect(output).not.toContain('sk-test');
  expect((await admin('credentials', 'delete', '1', id!)).output).toContain('Deleted');
  expect((await admin('credentials', 'list', '1')).output).toBe('');
});

it.each([
  [['credentials', 'add', '1', 'ollama', 'main'], 'needs a base_url'],
  [['credentials', 'add', '1', 'vertexai', 'main', '--option', 'project'], '--option should be NAME=VALUE'],
  [['credentials', 'delete', '1', '999'], 'Model credential 999 was not found'],
  [[], 'Usage'],
  [['keys', 'make', '1'], 'There is no command "keys make".\n\nUsage'],
  [['keys', 'list', '1', '--nmae', 'x'], "Unknown option '--nmae'"],
  [['keys', 'list', '999'], 'Workspace 999 was not found'],
  [['keys', 'create', '1', '--role', 'king'], 'There is no role "king" in this workspace'],
  [['keys', 'create', '1', '--role', 'viewer,'], 'There is no role "" in this workspace'],
  [['keys', 'list', 'one'], 'Usage'],
  [['keys', 'revoke', '1', '999'], 'API key 999 was not found'],
])('refuses %j with a sentence', async (args, message) => {
  const { status, output } = await admin(...args);
  expect([status, output]).toEqual([1, expect.stringContaining(message)]);
});

it.each([['--help'], ['keys', 'create', '-h']])('%s shows the commands', async (...args) => {
  const { status, output } = await admin(...args);
  expect([status, output]).toEqual([0, expect.stringMatching(/^Usage: npm run admin -- COMMAND/)]);
});

it('ends with a sentence and a status when it refuses', () => {
  const { status, output } = typed('', 'keys', 'list', '999');
  expect([status, output]).toEqual([1, 'Workspace 999 was not found.\n']);
});
