import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBackground } from '../../scripts/lib/starters.mjs';
import { freePort } from '../../src/embedded/ports.js';
import { atDepth } from '../support/depth.js';
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
