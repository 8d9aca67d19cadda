import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from '../../src/embedded/processes.js';
import { until } from '../support/until.js';

const PREPARE = pathToFileURL(path.resolve(import.meta.dirname, '../../scripts/lib/prepare.mjs')).href;

/**
 * Package manager that installs one package. It starts a child process, writes down both process ids, and waits for a
 * file. With a file `stubborn` it succeeds when it gets SIGTERM.
 */
const NPM = `
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
if (existsSync('stubborn')) process.on('SIGTERM', () => { child.kill(); process.exit(0); });
rmSync('node_modules', { recursive: true, force: true });
appendFileSync('started', process.pid + ' ' + child.pid + '\\n');
while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 10));
child.kill();
mkdirSync('node_modules/pg', { recursive: true });
writeFileSync('node_modules/pg/package.json', '{}');
`;

let root: string;
let starts: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-prepare-'));
  write('package-lock.json', JSON.stringify({ packages: { '': {}, 'node_modules/pg': { version: '8.0.0' } } }));
  write('src/embedded/launcher.ts', 'export {};');
  write('npm.mjs', NPM);
});

afterEach(() => {
  for (const start of starts) start.kill('SIGKILL');
  for (const pid of processes()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  starts = [];
  rmSync(root, { recursive: true, force: true });
});

function write(file: string, content = ''): void {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
}

const lines = (file: string) =>
  (existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : '').split('\n').filter(Boolean);
/** Ids of all package managers that were started, and of their children. */
const processes = () => lines('started').flatMap((line) => line.split(' ').map(Number));
/** Waits until the package manager runs and its starter has written that down. */
const untilInstalling = (times = 1) =>
  until(() => {
    const [pid] = lines('started')[times - 1]?.split(' ') ?? [];
    return Promise.resolve(pid !== undefined && lines('.prepare.lock').join('').includes(`{"pid":${pid},`));
  });

interface Start {
  child: ChildProcess;
  output(): string;
  ended: Promise<number | null>;
}

/** Prepares a checkout like `npm start` does before it starts the product. */
function start(how: 'prepare' | 'prepareBeside' = 'prepare'): Start {
  const program = `
    const { ${how} } = await import(${JSON.stringify(PREPARE)});
    await ${how}(${JSON.stringify(root)}, {});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, npm_execpath: path.join(root, 'npm.mjs') },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  starts.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code as number | null) };
}

const files = [
  'node_modules/pg/package.json',
  'node_modules/.installed-lock',
  'dist/.built-from',
  'dist/src/embedded/launcher.js',
];
const isPrepared = () => files.every((file) => existsSync(path.join(root, file)));

/** Another start makes it ready, by an installation of its own, and leaves nothing behind. */
async function expectRepaired(installations: number): Promise<void> {
  write('go');
  const again = start();
  expect([await again.ended, again.output()]).toEqual([0, expect.not.stringContaining('Waiting')]);
  expect(lines('started')).toHaveLength(installations);
  expect([isPrepared(), existsSync(path.join(root, '.prepare.lock'))]).toEqual([true, false]);
}

describe('an installation that is interrupted', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s has ended with all its processes when the command ends, and is repeated by the next start',
    async (signal) => {
      const first = start();
      await untilInstalling();
      // Signal to the whole group, like one from a terminal.
      process.kill(-first.child.pid!, signal);
      expect(await first.ended).toBe(128 + os.constants.signals[signal]);
      expect(processes().map(isAlive)).toEqual([false, false]);
      expect(existsSync(path.join(root, 'node_modules'))).toBe(false);
      await expectRepaired(2);
    },
  );

  it('by SIGKILL goes on unseen until the next start ends it', async () => {
    const first = start();
    await untilInstalling();
    first.child.kill('SIGKILL');
    await first.ended;
    expect(processes().map(isAlive)).toEqual([true, true]);
    const old = processes();
    await expectRepaired(2);
    expect(old.map(isAlive)).toEqual([false, false]);
  });

  it('does not count as done when npm says that it is', async () => {
    write('stubborn');
    const first = start();
    await untilInstalling();
    process.kill(-first.child.pid!, 'SIGINT');
    expect(await first.ended).toBe(130);
    expect(existsSync(path.join(root, 'node_modules/.installed-lock'))).toBe(false);
    await expectRepaired(2);
  });
});

describe('two starts at the same time', () => {
  it('wait for each other, and do everything once', async () => {
    const first = start();
    await untilInstalling();
    const second = start();
    await until(() => Promise.resolve(second.output().includes(`Waiting for process ${first.child.pid}`)));
    expect(second.output()).toContain('(installing dependencies)');
    write('go');
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0]);
    expect([lines('started').length, isPrepared()]).toEqual([1, true]);
    expect([first, second].filter(({ output }) => output().includes('Building'))).toHaveLength(1);
  });

  it('leave the installation to the other when one is interrupted', async () => {
    const first = start();
    await untilInstalling();
    const second = start();
    await until(() => Promise.resolve(second.output().includes('Waiting')));
    first.child.kill('SIGKILL');
    await untilInstalling(2);
    write('go');
    expect([await second.ended, isPrepared()]).toEqual([0, true]);
    expect(processes().map(isAlive)).toEqual([false, false, false, false]);
  });
});

describe('a command beside the running product', () => {
  beforeEach(async () => {
    write('go');
    write('src/embedded/launcher.ts', 'setInterval(() => {}, 1000);');
    expect(await start().ended).toBe(0);
    const product = spawn(process.execPath, [path.join(root, 'dist/src/embedded/launcher.js')]);
    starts.push(product);
    await once(product, 'spawn');
    write('.data/launcher.lock', JSON.stringify({ pid: product.pid }));
  });

  it('goes on where nothing has changed', async () => {
    const command = start('prepareBeside');
    expect([await command.ended, command.output()]).toEqual([0, '']);
  });

  it.each([
    ['a package', () => rmSync(path.join(root, 'node_modules/pg/package.json'))],
    ['a source', () => write('src/embedded/other.ts', 'export {};')],
  ])('installs and builds nothing when %s has changed', async (_, change) => {
    change();
    const command = start('prepareBeside');
    expect(await command.ended).toBe(1);
    expect(command.output()).toMatch(
      /The sources have changed since Tracesheet was started on .*\/\.data \(process \d+\)/,
    );
    expect(lines('started')).toHaveLength(1);
    expect(existsSync(path.join(root, 'dist/src/embedded/other.js'))).toBe(false);
  });

  it('installs and builds what has changed once the product has ended', async () => {
    const product = starts.at(-1)!;
    product.kill('SIGKILL');
    await once(product, 'exit');
    write('src/embedded/other.ts', 'export {};');
    expect(await start('prepareBeside').ended).toBe(0);
    expect(existsSync(path.join(root, 'dist/src/embedded/other.js'))).toBe(true);
  });
});

describe('what seems to be prepared', () => {
  beforeEach(async () => {
    write('go');
    expect(await start().ended).toBe(0);
  });

  it('is left alone', async () => {
    const again = start();
    expect([await again.ended, again.output()]).toEqual([0, '']);
  });

  it.each(['node_modules/pg/package.json', 'node_modules/.installed-lock'])(
    'is installed again without %s',
    async (file) => {
      rmSync(path.join(root, file));
      await expectRepaired(2);
    },
  );

  it.each(['dist/.built-from', 'dist/src/embedded/launcher.js'])('is built again without %s', async (file) => {
    rmSync(path.join(root, file));
    await expectRepaired(1);
  });
});
