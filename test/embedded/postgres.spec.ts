import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ensureDatabase } from '../../src/embedded/database.js';
import { type PostgresOptions, type PostgresService, startPostgres } from '../../src/embedded/postgres.js';
import { isAlive, waitUntilGone } from '../../src/embedded/processes.js';
import { testFolder } from '../support/services.js';

let folder: string;
let options: PostgresOptions;
/** Everything a test started, also what it means to leave behind. */
let started: PostgresService[] = [];

beforeAll(async () => {
  folder = testFolder();
  options = { dataDir: path.join(folder, 'postgres'), password: 'p w/d', durable: false };
  const postgres = await start();
  await ensureDatabase(postgres.url, 'made');
  await postgres.stop();
});

afterEach(async () => {
  await Promise.all(started.map((service) => service.stop()));
  started = [];
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(changes: Partial<PostgresOptions> = {}): Promise<PostgresService> {
  const service = await startPostgres({ ...options, ...changes });
  started.push(service);
  return service;
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return ((await client.query(sql)) as pg.QueryResult<Record<string, unknown>>).rows[0];
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  it('stores UTF-8, asks for a password, listens on this machine only, and stops', async () => {
    const postgres = await start();
    const { url, pid } = postgres;
    await ensureDatabase(url, 'made');
    expect(
      await ask(postgres.urlFor('made'), 'SELECT lower($$ÄÉ$$) AS lower, current_setting($$listen_addresses$$) AS at'),
    ).toEqual({
      lower: 'äé',
      at: '127.0.0.1',
    });
    await expect(ask(url.replace('p%20w%2Fd', 'wrong'), 'SELECT 1')).rejects.toThrow('password authentication failed');
    await postgres.stop();
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(folder)).toEqual(['postgres']);
  });

  it('keeps its data and uses the settings it is given', async () => {
    const postgres = await start({ settings: { work_mem: '7MB' } });
    expect(await ask(postgres.urlFor('made'), 'SHOW work_mem')).toEqual({ work_mem: '7MB' });
  });

  it('says what to do when the password is not the one of the data', async () => {
    const postgres = await start({ password: 'another' });
    await expect(ensureDatabase(postgres.url, 'made')).rejects.toThrow('does not belong to these data');
  });

  it('stops a server that a killed launcher left and starts on its data', async () => {
    const orphan = await start();
    const postgres = await start();
    expect(isAlive(orphan.pid)).toBe(false);
    expect(postgres.pid).not.toBe(orphan.pid);
    expect(await ask(postgres.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
  });

  it('waits for the last session of a killed server, which must not write beside the new one', async () => {
    const killed = await start();
    const client = new pg.Client({ connectionString: killed.url });
    client.on('error', () => undefined);
    await client.connect();
    const session = Number((await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid);
    process.kill(session, 'SIGSTOP'); // it cannot notice that its server has gone
    process.kill(killed.pid, 'SIGKILL');
    let released = false;
    setTimeout(() => {
      released = true;
      process.kill(session, 'SIGCONT');
    }, 600);
    const postgres = await start();
    expect(released).toBe(true);
    expect(await ask(postgres.url, 'SELECT 1 AS one')).toEqual({ one: 1 });
  });

  it('starts although its pid file names an unrelated process of the same account', async () => {
    const { uid, gid } = statSync(options.dataDir);
    const stranger: ChildProcess = spawn('sleep', ['60'], { uid, gid, cwd: '/' });
    onTestFinished(() => void stranger.kill());
    await once(stranger, 'spawn');
    writeFileSync(pidFile(), `${stranger.pid}\n${options.dataDir}\n0\n5432\n`);
    const postgres = await start();
    expect(readFileSync(pidFile(), 'utf8')).toMatch(new RegExp(`^${postgres.pid}\n`));
    expect(isAlive(stranger.pid!)).toBe(true);
  });

  it('starts although the server it had is still a zombie', async () => {
    const { uid, gid } = statSync(options.dataDir);
    // The shell becomes a program that never asks how its child ended.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { uid, gid, cwd: '/' });
    onTestFinished(() => void parent.kill());
    const [zombie] = (await once(parent.stdout, 'data')) as [Buffer];
    writeFileSync(pidFile(), `${zombie.toString().trim()}\n${options.dataDir}\n0\n5432\n`);
    expect(await waitUntilGone(Number(zombie), 60_000)).toBe(true);
    expect(await ask((await start()).url, 'SELECT 1 AS one')).toEqual({ one: 1 });
  });

  it('gives up the start when asked to', async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(startPostgres({ ...options, signal: abort.signal })).rejects.toThrow('while it was starting');
    expect(existsSync(pidFile())).toBe(false);
  });

  it('refuses data of another major version with a sentence', async () => {
    const file = path.join(options.dataDir, 'PG_VERSION');
    writeFileSync(file, '16\n');
    await expect(startPostgres(options)).rejects.toThrow('holds data of PostgreSQL 16');
    writeFileSync(file, '18\n');
  });
});

const pidFile = () => path.join(options.dataDir, 'postmaster.pid');
