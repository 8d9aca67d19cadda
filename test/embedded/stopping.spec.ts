import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { hasBackground } from '../../scripts/lib/starters.mjs';
import { bootstrap } from '../../src/access/index.js';
import { freePort } from '../../src/embedded/ports.js';
import { testDatabase } from '../support/database.js';
import { atDepth, deepIt } from '../support/depth.js';
import { until } from '../support/until.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

let folder: string;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-stopping-'));
  port = await freePort();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the product in a session of its own, as from another terminal; resolves once it serves. */
async function start(command: string, args: string[]): Promise<ChildProcess> {
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: String(port),
    DATA_DIR: path.join(folder, 'data'),
    DEMO: 'off',
  };
  const child = spawn(command, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    await until(() => Promise.resolve(output.includes('Press Ctrl-C')));
  } catch (error) {
    child.kill('SIGTERM');
    throw new Error(`The product did not start:\n${output}`, { cause: error });
  }
  return child;
}

/** A process and everything that it started. */
function treeOf(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const parents = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    parents.flatMap(([child, of]) => (of === parent ? [child!, ...below(child!)] : []));
  return [pid, ...below(pid)];
}

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

describe.skipIf(process.platform !== 'linux')('npm start', () => {
  const ways = [
    ['npm is told to end', 'npm', ['start'], 'SIGTERM'],
    ['npm is killed', 'nohup', ['npm', 'start'], 'SIGKILL'],
    ['a shell around it is told to end', 'sh', ['-c', 'npm start; exit $?'], 'SIGTERM'],
    ['its terminal is closed', 'npm', ['start'], 'SIGHUP'],
  ] as const;

  it.each(atDepth(ways.slice(0, 2), [...ways]))(
    'ends with everything it has started when %s, and can be started again',
    async (_, command, args, signal) => {
      const child = await start(command, [...args]);
      const ended = once(child, 'exit');
      const all = treeOf(child.pid!);
      expect(all.length).toBeGreaterThan(5);
      child.kill(signal);
      await ended;
      await until(() => Promise.resolve(all.every(isGone)));
    },
  );
});

/** Starts a program on the services of the tests, with the text of its output so far. */
function startOn(databaseUrl: string, args: string[], more: NodeJS.ProcessEnv = {}) {
  const services = { DATABASE_URL: databaseUrl, REDIS_URL: inject('redisUrl') };
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: path.join(folder, 'other'), DEMO: 'off' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...env, ...services, ...more } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output: () => output, ended };
}

deepIt('a launcher that is told to end before the api and the worker run does not start them', async () => {
  const database = await testDatabase();
  await bootstrap(database.url);
  const client = new pg.Client(database.url);
  await client.connect();
  const programs = path.join(folder, 'programs');
  const recorder = path.join(folder, 'recorder.mjs');
  writeFileSync(
    recorder,
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(programs)}, process.argv[1] + '\\n');`,
  );
  await client.query('BEGIN');
  await client.query('LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE');
  const more = { NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}` };
  const { child, output, ended } = startOn(database.url, ['dist/src/embedded/launcher.js'], more);
  const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))';
  const isBlocked = async () => (await client.query(waiting)).rowCount! > 0;
  await until(isBlocked);
  child.kill('SIGTERM');
  await until(() => Promise.resolve(output().includes('Stopping')));
  await client.query('COMMIT');
  await client.end();
  expect([await ended, output()]).toEqual([0, expect.stringContaining('Stopping')]);
  expect(readFileSync(programs, 'utf8').trim().split('\n')).toEqual([path.join(ROOT, 'dist/src/embedded/launcher.js')]);
  await database.close();
});

it.each(atDepth(['SIGTERM'] as const, ['SIGTERM', 'SIGHUP'] as const))(
  'npm run admin ends with its command when only it gets %s',
  async (signal) => {
    const database = await testDatabase();
    await bootstrap(database.url);
    const args = ['scripts/admin.mjs', 'credentials', 'add', '1', 'openai', 'main'];
    const { child, ended } = startOn(database.url, args);
    await until(() => Promise.resolve(treeOf(child.pid!).length > 1));
    const all = treeOf(child.pid!);
    child.kill(signal);
    expect(await ended).toBe(128 + os.constants.signals[signal]);
    await until(() => Promise.resolve(all.every(isGone)));
    await database.close();
  },
);

it.each([
  ['npm start', false],
  ['cd /srv && npm start', false],
  ['npm start > log 2>&1', false],
  ['npm start &> log', false],
  ['npm start || echo failed >&2', false],
  ['npm start &', true],
  ['npm start > log 2>&1 & echo started', true],
  ['(npm start &) ; true', true],
])('detects whether a shell waits for its commands: %s', (script, expected) => {
  expect(hasBackground(script)).toBe(expected);
});
