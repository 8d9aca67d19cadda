import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, isLocked } from '../../src/embedded/lock.js';
import { startsPostgres } from '../../src/embedded/postmaster.js';
import { askPs, commandLine, processIdentity } from '../../src/embedded/processes.js';

const BUILT_LOCK = path.resolve(import.meta.dirname, '../../dist/src/embedded/lock.js');
const RIVALS = 6;
const ROUNDS = 30;
let home: string;
let contender: string;
let folder: string;

beforeAll(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'tracesheet-lock-'));
  contender = path.join(home, 'contender.mjs');
  writeFileSync(
    contender,
    `import { acquireLock } from '${pathToFileURL(BUILT_LOCK).href}';
     console.log('here');
     process.stdin.on('data', (folder) =>
       acquireLock(String(folder).trim()).then(() => console.log('holds'), () => console.log('refused')));`,
  );
});

beforeEach(() => {
  folder = mkdtempSync(path.join(home, 'data-'));
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

const lockFile = () => path.join(folder, 'launcher.lock');

describe('the launcher lock', () => {
  it('refuses a second launcher and names the process of the first', async () => {
    const lock = await acquireLock(folder);
    await expect(acquireLock(folder)).rejects.toThrow(`already runs on ${folder} (process ${process.pid})`);
    lock.release();
  });

  it('is free again after its release', async () => {
    (await acquireLock(folder)).release();
    (await acquireLock(folder)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not remove the lock of a successor when released late', async () => {
    const lock = await acquireLock(folder);
    writeFileSync(lockFile(), JSON.stringify({ pid: 1, identity: processIdentity(1) }));
    lock.release();
    expect(existsSync(lockFile())).toBe(true);
  });

  it('takes over the lock of a process that is gone', async () => {
    const gone = spawn(process.execPath, ['--version']);
    const pid = gone.pid!;
    await once(gone, 'close');
    writeFileSync(lockFile(), JSON.stringify({ pid, identity: 'an earlier boot/1' }));
    (await acquireLock(folder)).release();
  });

  it('takes over the lock of a dead process whose pid another one has now', async () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: process.pid, identity: 'an earlier boot/1' }));
    (await acquireLock(folder)).release();
  });

  it('takes over a lock that cannot be read', async () => {
    writeFileSync(lockFile(), '');
    (await acquireLock(folder)).release();
  });

  it('goes to exactly one of many that find a stale lock at the same moment', async () => {
    const rivals = Array.from({ length: RIVALS }, () => spawn(process.execPath, [contender]));
    await Promise.all(rivals.map(nextLine));
    for (let round = 0; round < ROUNDS; round++) {
      folder = mkdtempSync(path.join(home, 'round-'));
      writeFileSync(lockFile(), JSON.stringify({ pid: process.pid, identity: 'an earlier boot/1' }));
      const answers = rivals.map(nextLine);
      for (const rival of rivals) rival.stdin.write(`${folder}\n`);
      const outcomes = (await Promise.all(answers)).sort();
      expect(outcomes).toEqual(['holds', ...Array<string>(RIVALS - 1).fill('refused')]);
    }
    await Promise.all(rivals.map(end));
  });
});

/** A PID namespace of its own, as in a container. Only root can have one. */
const NAMESPACE = ['--pid', '--fork', '--kill-child', '--mount-proc'];
const hasNamespaces = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;

describe.skipIf(!hasNamespaces)('a launcher in another container', () => {
  /** Resolves when it holds the lock. */
  async function startElsewhere(): Promise<ChildProcess> {
    const other = spawn('unshare', [...NAMESPACE, process.execPath, contender]);
    await nextLine(other);
    const answer = nextLine(other);
    other.stdin.write(`${folder}\n`);
    expect(await answer).toBe('holds');
    return other;
  }

  it('keeps its lock while it runs', async () => {
    const other = await startElsewhere();
    expect(isLocked(folder)).toBe(true);
    await expect(acquireLock(folder)).rejects.toThrow(`already runs on ${folder}, in another container`);
    await end(other);
  });

  it('loses its lock when it has not renewed it for a while', async () => {
    await end(await startElsewhere());
    utimesSync(lockFile(), new Date(0), new Date(0));
    expect(isLocked(folder)).toBe(false);
    (await acquireLock(folder)).release();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('processes on systems without /proc', () => {
  it('are the same while they run, and have their whole command line', () => {
    const started = askPs(process.pid, 'lstart');
    expect(started).toMatch(/\d\d:\d\d:\d\d \d{4}$/);
    expect(askPs(process.pid, 'lstart')).toBe(started);
    expect(askPs(process.pid, 'command')).toBe(commandLine(process.pid).trim());
    expect([askPs(0, 'lstart'), askPs(0, 'command')]).toEqual(['', '']);
  });

  it.each([
    ['/opt/pg/bin/postgres -D /srv/data/postgres -p 5000', true],
    ['/Users/Jo Do/pg/bin/postgres -D /srv/data/postgres', true],
    ['/opt/pg/bin/postgres -D /srv/data/postgres-2 -p 5000', false],
    ['/opt/pg/bin/postgres -p 5000', false],
    ['/bin/tail -D /srv/data/postgres', false],
  ])('are recognised as a PostgreSQL on a folder: %s', (command, expected) => {
    expect(startsPostgres(command, '/srv/data/postgres')).toBe(expected);
  });

  it('are recognised as a PostgreSQL on a folder with spaces', () => {
    expect(startsPostgres('/opt/pg/bin/postgres -D /Users/Jo Do/data -p 5000', '/Users/Jo Do/data')).toBe(true);
  });
});

async function nextLine(child: ChildProcess): Promise<string> {
  const [data] = (await once(child.stdout!, 'data')) as [Buffer];
  return data.toString().trim();
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
