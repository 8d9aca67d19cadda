import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeFailure, runAdminCommand } from '../../src/embedded/admin-command.js';
import { isLocked } from '../../src/embedded/lock.js';
import { clearPostmaster } from '../../src/embedded/postmaster.js';
import { isAlive, readPidFile } from '../../src/embedded/processes.js';
import { startDatabase } from '../../src/embedded/services.js';
import { loadState, saveState } from '../../src/embedded/state.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { atDepth } from '../support/depth.js';
import { testFolder } from '../support/services.js';
import { until } from '../support/until.js';
import { backupOf, keptReleases, migrationsOf } from '../upgrades/releases.js';

const COMMAND = path.resolve(import.meta.dirname, '../../dist/src/embedded/admin.js');
const { version } = keptReleases().at(-1)!;

let folder: string;
beforeAll(() => {
  folder = testFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the SECRETS_KEY that restore is given', () => {
  const [key, previous, another] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));

  async function restore(dataDir: string, secretsKey: string): Promise<string> {
    let output = '';
    const say = (line: string) => void (output += `${line}\n`);
    const env = { DATA_DIR: dataDir, SECRETS_KEY: secretsKey, SECRETS_KEY_PREVIOUS: previous };
    try {
      await runAdminCommand(['restore', backupOf(version)], { env, say, readSecret: () => Promise.resolve('') });
    } catch (error) {
      output += `refused: ${describeFailure(error)}`;
    }
    return output;
  }

  it('is stored also when a first try failed, and not when the restore is refused', async () => {
    const dataDir = path.join(folder, 'restored');
    mkdirSync(dataDir);
    const link = path.join(dataDir, 'postgres');
    symlinkSync(path.join(folder, 'gone'), link);
    expect(await restore(dataDir, key!)).toContain('links to a folder that is gone');
    rmSync(link);

    expect(await restore(dataDir, key!)).toContain('every row is as it was');
    const kept = { secretsKey: key, previousSecretsKeys: [previous] };
    expect(loadState(dataDir)).toMatchObject(kept);
    expect(await restore(dataDir, another!)).toContain('refused: The database is not empty');
    expect(loadState(dataDir)).toMatchObject(kept);
  });
});

describe('a command that a signal ends', () => {
  let dataDir: string;
  const pidFile = () => path.join(dataDir, 'postgres/postmaster.pid');

  /** Restoring a workspace into this database takes an hour. */
  beforeAll(async () => {
    dataDir = path.join(folder, 'interrupted');
    mkdirSync(dataDir);
    const database = await startDatabase({ dataDir }, loadState(dataDir), new AbortController().signal);
    saveState(dataDir, { ...loadState(dataDir), postgresPort: database.port });
    try {
      await migrate(database.url, { wanted: migrationsOf(version) });
      await query(database.url, 'ALTER TABLE workspaces ADD CHECK (pg_sleep(3600) IS NOT NULL)');
    } finally {
      await database.stop();
    }
  });

  async function query(url: string, sql: string): Promise<number | null> {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(sql)).rowCount;
    } finally {
      await client.end();
    }
  }

  const startsPostgres = () => Promise.resolve(existsSync(pidFile()));
  async function restoresRows(): Promise<boolean> {
    const { postgresPassword, postgresPort } = loadState(dataDir);
    const url = `postgres://tracesheet:${postgresPassword}@127.0.0.1:${postgresPort}/tracesheet`;
    const sleeping = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
    return (await query(url, sleeping).catch(() => 0)) === 1;
  }

  const signals = [
    ['SIGTERM', 'as soon as PostgreSQL runs', startsPostgres, 143],
    ['SIGINT', 'while rows are restored', restoresRows, 130],
    ['SIGHUP', 'while rows are restored', restoresRows, 129],
  ] as const;

  it.each(atDepth(signals.slice(0, 2), [...signals]))(
    '%s stops PostgreSQL %s',
    async (signal, _, reached, exitCode) => {
      const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
      const child = spawn(process.execPath, [COMMAND, 'restore', backupOf(version)], { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      try {
        await until(reached);
        const postgres = readPidFile(pidFile())!;
        child.kill(signal);
        const end = await ended;
        expect(isAlive(postgres)).toBe(false);
        expect(end).toEqual([exitCode, null]);
        expect(isLocked(dataDir)).toBe(false);
      } finally {
        child.kill('SIGKILL');
        await clearPostmaster(path.join(dataDir, 'postgres'));
      }
    },
  );
});
