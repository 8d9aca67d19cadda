import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { assertStartable } from '../../scripts/lib/preflight.mjs';
import { isWellFormed } from '../../src/access/key-material.js';
import { readLaunchOptions } from '../../src/embedded/launch-options.js';
import { freePort } from '../../src/embedded/ports.js';
import { parseRedisUrl } from '../../src/platform/config/redis-address.js';
import { testDatabase } from '../support/database.js';
import { testFolder } from '../support/services.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** An extension that prints when the modules of the process start and stop. */
const REPORTING = path.join(ROOT, 'test/support/reporting.extension.mjs');
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

/** `command` is a file of the checkout with its arguments. */
function start(command: string, env: Record<string, string>, before: string[] = []): Ended {
  const [file, ...given] = command.split(' ');
  const [program, ...args] = [...before, process.execPath, path.join(ROOT, file!), ...given];
  const options = { cwd: ROOT, env: { PATH: process.env.PATH, ...env }, encoding: 'utf8', timeout: 280_000 } as const;
  const { status, stdout, stderr } = spawnSync(program!, args, options);
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
    [{ DEMO: 'maybe' }, 'DEMO must be on or off, not "maybe"'],
    [{ CONSOLE: 'offf' }, 'CONSOLE must be on or off, not "offf"'],
    [{ OUTBOUND_ALLOW_PRIVATE: '2' }, 'OUTBOUND_ALLOW_PRIVATE must be on or off, not "2"'],
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

  it.each(['on', 'OFF', 'True', 'false', ' yes ', 'NO', '1', '0', 'y', 'none', '2', 'on off'])(
    'for on and off "%s" is accepted as by the launcher',
    async (DEMO) => {
      const env = { DEMO, PORT: String(await freePort()) };
      const refusal = (wait: () => unknown) => Promise.resolve().then(wait).then(() => null, (error: Error) => error.message); // prettier-ignore
      const wanted = (await refusal(() => readLaunchOptions(env))) && expect.stringContaining('DEMO must be on or off');
      expect(await refusal(() => assertStartable(env, folder))).toEqual(wanted);
    },
  );

  it.each(['/proc/none', '/dev/null', '/dev/null/below'])('the data folder %s cannot be written', async (wanted) => {
    await expect(assertStartable({}, wanted)).rejects.toThrow(`The data folder ${wanted} cannot be written`);
  });

  it('a file in place of the data folder is distinguished from a missing permission', async () => {
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

  it('the port to try is one that exists', async () => {
    const server = createServer().listen(65_535);
    await Promise.race([once(server, 'listening'), once(server, 'error')]); // another program may have it
    await expect(assertStartable({ PORT: '65535' }, folder)).rejects.toThrow('PORT=65534 npm start');
    server.close();
  });

  it.each([
    'redis://me:secret@localhost:6379/0',
    ' redis://localhost ',
    'rediss://[::1]:7000',
    'redis+sentinel://:p@a,b:1/main/2',
    'rediss+sentinel://a/main',
    'redis+cluster://a:1,b,[fe80::1]:3',
    'redis+unix://a',
    'http://localhost',
    'redis://',
  ])('REDIS_URL "%s" is accepted as by the launcher', async (REDIS_URL) => {
    const env = { REDIS_URL, PORT: String(await freePort()) };
    const accepts = (check: () => unknown) => Promise.resolve().then(check).then(() => true, () => false); // prettier-ignore
    expect(await accepts(() => assertStartable(env, folder))).toBe(await accepts(() => parseRedisUrl(REDIS_URL)));
  });

  it('arguments of npm start are answered by its usage, before anything is done', () => {
    expect(start('scripts/start.mjs --help', {})).toEqual({ status: 0, output: expect.stringMatching(/^Usage: npm start\n[^]*PORT/) }); // prettier-ignore
    expectSentence(start('scripts/start.mjs --port=3001', {}), /"--port=3001" cannot be used\.[^]*Usage: npm start/);
    expectSentence(start('scripts/tracesheet.mjs strat', {}), /"strat" is no command of tracesheet\./);
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
      `postgres://me:hunter2@${NOBODY_LISTENS}/mine`,
      /DATABASE_URL cannot be opened: connect ECONNREFUSED/,
    ],
    ['no such host', 'postgres://me:hunter2@database.invalid/mine', /DATABASE_URL cannot be opened: getaddrinfo/],
  ])('says what is wrong with DATABASE_URL: %s', async (_what, url, sentence) => {
    const ended = launch({ DATABASE_URL: url, PORT: String(await freePort()) });
    expectSentence(ended, sentence);
    expect(ended.output).not.toContain('hunter2');
  });

  it('refuses what the api and the worker would refuse later, all of it at once', () => {
    const ended = launch({ PORT: '70000', DEMO: 'maybe', LOG_LEVEL: 'loud' });
    expectSentence(
      ended,
      /PORT must be .*\n.*LOG_LEVEL must be one of silent,.*\n.*DEMO must be on or off, not "maybe"/,
    );
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

  it('waits for a database that is still starting', async () => {
    const database = await testDatabase();
    const { hostname, port } = new URL(database.url);
    let connections = 0;
    const starting = createServer((socket) => {
      socket.on('error', () => undefined);
      if (connections++ === 0) return socket.destroy();
      const server = connect(Number(port), hostname).on('error', () => undefined);
      return socket.pipe(server).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(starting, 'listening');
    const url = new URL(database.url);
    url.host = `127.0.0.1:${(starting.address() as AddressInfo).port}`;
    const env = { PATH: process.env.PATH, DATABASE_URL: url.href };
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(ROOT, 'dist/src/migrate.js')], { env });
    expect(stdout).toBe('The database is up to date.\n');
    expect(connections).toBeGreaterThan(1);
    starting.close();
    await database.close();
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

  it('answer --help, and refuse other arguments', () => {
    expect(start('dist/src/main.js --help', {})).toEqual({
      status: 0,
      output: expect.stringMatching(/^Usage: npm run/),
    });
    expectSentence(start('dist/src/migrate.js now', {}), /"now" cannot be used\.[^]*Usage: npm run migration:run/);
  });

  it('say which port is taken, and which setting to change', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const database = await testDatabase();
    const env = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), LOG_LEVEL: 'WARN' };
    try {
      const api = start('dist/src/main.js', { ...env, PORT: String(port) });
      expectSentence(
        api,
        `Port ${port} is already used by another program. Stop that one, or choose another port: PORT=`,
      );
      const worker = start('dist/src/worker.js', { ...env, WORKER_PORT: String(port), EXTENSIONS: REPORTING });
      expect(worker.output).not.toContain('The modules have started.');
      expectSentence(
        worker,
        `Port ${port} is already used by another program. Stop that one, or choose another port: WORKER_PORT=`,
      );
    } finally {
      server.close();
      await database.close();
    }
  });

  it.each(['main', 'worker'])('%s stops in order on a signal that comes while it starts', async (name) => {
    const database = await testDatabase();
    const env = { DATABASE_URL: database.url, REDIS_URL: inject('redisUrl'), LOG_LEVEL: 'warn', PORT: '0' };
    const { status, output } = start(`dist/src/${name}.js`, { ...env, EXTENSIONS: REPORTING, STOP_AT_START: 'yes' });
    expect(output).toMatch(/The modules have started\.[^]*The modules have stopped\./);
    expect(status).toBe(0);
    await database.close();
  });

  it('says that the database cannot be opened', () => {
    const url = new URL(inject('adminUrl'));
    url.pathname = '/missing';
    const env = { DATABASE_URL: url.href, REDIS_URL: inject('redisUrl') };
    expectSentence(start('dist/src/main.js', env), /DATABASE_URL cannot be opened: database "missing" does not exist/);
  });
});
