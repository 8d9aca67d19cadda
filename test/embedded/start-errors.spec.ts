import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { assertStartable } from '../../scripts/lib/preflight.mjs';
import { isWellFormed } from '../../src/access/key-material.js';
import { freePort } from '../../src/embedded/ports.js';
import { testFolder } from '../support/services.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NOBODY_LISTENS = '127.0.0.1:1';

let folder: string;
beforeAll(() => {
  folder = testFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  status: number | null;
  output: string;
}

function start(file: string, env: Record<string, string>, before: string[] = []): Ended {
  const [command, ...args] = [...before, process.execPath, path.join(ROOT, file)];
  const options = { cwd: ROOT, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', timeout: 80_000 } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  return { status, output: stdout + stderr };
}

/** A person reads it, so there is no stack trace in it. */
function expectSentence({ status, output }: Ended, sentence: string | RegExp): void {
  expect(output).toMatch(sentence);
  expect(output).not.toMatch(/^\s+at .*:\d+/m);
  expect(status).toBe(1);
}

describe('what can be known before anything is installed', () => {
  const key = (length: number) => `pl_${'a'.repeat(length)}`;

  it.each([
    [{ PORT: 'http' }, 'PORT must be a number'],
    [{ PORT: '70000' }, 'PORT must be a number'],
    [{ BOOTSTRAP_API_KEY: 'secret' }, 'BOOTSTRAP_API_KEY must be "pl_"'],
    [{ BOOTSTRAP_API_KEY: `${key(40)}-` }, 'BOOTSTRAP_API_KEY must be "pl_"'],
    [{ DATABASE_URL: 'mysql://localhost/x' }, 'DATABASE_URL must be a URL that starts with postgres://'],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL must be a URL that starts with redis://'],
  ])('%j is refused', async (env, message) => {
    await expect(assertStartable(env, folder)).rejects.toThrow(message);
  });

  it.each([39, 40, 120, 121])('keys of %d letters are accepted as by the server', async (length) => {
    const env = { BOOTSTRAP_API_KEY: key(length), PORT: String(await freePort()) };
    const accepted = await assertStartable(env, folder).then(
      () => true,
      () => false,
    );
    expect(accepted).toBe(isWellFormed(key(length)));
  });

  it.each(['/proc/none', '/dev/null', '/dev/null/below'])('the data folder %s cannot be written', async (wanted) => {
    await expect(assertStartable({}, wanted)).rejects.toThrow(`The data folder ${wanted} cannot be written`);
  });

  it('a file in place of the data folder is told apart from a missing permission', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    await expect(assertStartable({}, file)).rejects.toThrow('a part of the path is a file');
  });

  it('a port in use is named, with another one to try', async () => {
    const server = createServer().listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(assertStartable({ PORT: String(port) }, folder)).rejects.toThrow(`PORT=${port + 1} npm start`);
    server.close();
  });

  it('is checked by npm start', () => {
    expectSentence(start('scripts/start.mjs', { BOOTSTRAP_API_KEY: 'pl_short' }), 'BOOTSTRAP_API_KEY must be');
  });
});

describe('the launcher', () => {
  const launch = (env: Record<string, string>) =>
    start('dist/src/embedded/launcher.js', { DATA_DIR: path.join(folder, 'data'), ...env });

  it.each([
    [
      'nobody listens',
      `postgres://me:secret@${NOBODY_LISTENS}/mine`,
      /DATABASE_URL cannot be opened: connect ECONNREFUSED/,
    ],
    ['no such host', 'postgres://me:secret@database.invalid/mine', /DATABASE_URL cannot be opened: getaddrinfo/],
  ])('says what is wrong with DATABASE_URL: %s', async (_what, url, sentence) => {
    const ended = launch({ DATABASE_URL: url, PORT: String(await freePort()) });
    expectSentence(ended, sentence);
    expect(ended.output).not.toContain('secret');
  });

  it('says what is wrong with DATABASE_URL: the password and the name', async () => {
    const url = new URL(inject('adminUrl'));
    const PORT = String(await freePort());
    url.pathname = '/missing';
    expectSentence(launch({ DATABASE_URL: url.href, PORT }), /database "missing" does not exist/);
    url.password = 'wrong';
    expectSentence(launch({ DATABASE_URL: url.href, PORT }), /password authentication failed/);
  });

  it('says what is wrong with REDIS_URL: nobody listens, or the password', async () => {
    const PORT = String(await freePort());
    expectSentence(
      launch({ REDIS_URL: `redis://${NOBODY_LISTENS}`, PORT }),
      /REDIS_URL does not answer: connect ECONNREFUSED/,
    );
    const url = new URL(inject('redisUrl'));
    url.password = 'wrong';
    expectSentence(launch({ REDIS_URL: url.href, PORT }), /REDIS_URL does not answer: WRONGPASS/);
  });
});

/** A file system of its own that vanishes with the process; only root can have one. */
const mounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

describe('a full disk', () => {
  it.skipIf(!mounts)('is called that', async () => {
    const data = path.join(folder, 'full');
    mkdirSync(data);
    const script = `mount -t tmpfs -o size=8m none '${data}' && chmod 755 '${data}' && exec "$@"`;
    const env = { DATA_DIR: data, PORT: String(await freePort()) };
    const ended = start('dist/src/embedded/launcher.js', env, ['unshare', '-m', 'sh', '-c', script, 'sh']);
    expectSentence(ended, `There is no space left on the device that holds ${data}`);
  });
});

describe('npm run migration:run', () => {
  const migrateDatabase = (DATABASE_URL: string) => start('dist/src/migrate.js', { DATABASE_URL });

  it('brings a database up to date, once', async () => {
    const url = new URL(inject('adminUrl'));
    const admin = new pg.Client(url.href);
    await admin.connect();
    await admin.query('CREATE DATABASE migrated_by_command');
    url.pathname = '/migrated_by_command';
    expect(migrateDatabase(url.href)).toEqual({ status: 0, output: expect.stringMatching(/^Applied Platform\d+, /) });
    expect(migrateDatabase(url.href)).toEqual({ status: 0, output: 'The database is up to date.\n' });
    await admin.query('DROP DATABASE migrated_by_command');
    await admin.end();
  });

  it('says what is wrong with DATABASE_URL', () => {
    expectSentence(migrateDatabase(''), 'Set DATABASE_URL to the database');
    expectSentence(migrateDatabase(`postgres://${NOBODY_LISTENS}/mine`), /DATABASE_URL cannot be opened: connect/);
  });
});

describe('the api and the worker without the launcher', () => {
  it.each(['main', 'worker'])('%s asks for the migrations that are missing', (name) => {
    const env = { DATABASE_URL: inject('adminUrl'), REDIS_URL: inject('redisUrl') };
    expectSentence(
      start(`dist/src/${name}.js`, env),
      /The database lacks (\d+) of \1 migrations\. Run `npm run migration:run`/,
    );
  });

  it('says that the database cannot be opened', () => {
    const url = new URL(inject('adminUrl'));
    url.pathname = '/missing';
    const env = { DATABASE_URL: url.href, REDIS_URL: inject('redisUrl') };
    expectSentence(start('dist/src/main.js', env), /DATABASE_URL cannot be opened: database "missing" does not exist/);
  });
});
