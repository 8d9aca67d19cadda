import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { giveTo, spawnIdentity } from './account.js';
import type { DataFolder } from './data-folder.js';
import { LaunchError } from './launch-error.js';
import type { PostgresRelease } from './postgres-release.js';

export const POSTGRES_USER = 'tracesheet';

export interface NewCluster {
  release: PostgresRelease;
  initdb: string;
  password: string;
  /** False skips flushing to the disk; only for data that may be lost. */
  durable: boolean;
}

/** PostgreSQL's programs get no other variables: LC_* and PG* variables would change their behaviour. */
export const POSTGRES_ENV = { PATH: process.env.PATH, HOME: '/', TZ: 'UTC', LC_ALL: 'C' };

/**
 * Creates the database files if there are none. They appear under their final name only when complete.
 * @throws LaunchError when they cannot be created, or are there but of another major version
 */
export async function ensureCluster(folder: DataFolder, cluster: NewCluster): Promise<void> {
  const versionFile = path.join(folder.path, 'PG_VERSION');
  if (!existsSync(versionFile)) await createCluster(folder, cluster);
  const version = readFileSync(versionFile, 'utf8').trim();
  const { major } = cluster.release;
  if (version === major) return;
  throw new LaunchError(
    `${folder.path} holds data of PostgreSQL ${version}, this is PostgreSQL ${major}. Dump it with the old version and restore it into a new folder.`,
  );
}

async function createCluster({ path: folder, account }: DataFolder, cluster: NewCluster): Promise<void> {
  removeDrafts(folder);
  const draft = `${folder}.${process.pid}.new`;
  const passwordFile = `${folder}.${process.pid}.password.new`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    giveTo(account, draft);
    writeFileSync(passwordFile, `${cluster.password}\n`, { mode: 0o600 });
    giveTo(account, passwordFile);
    const args = initdbArguments(draft, passwordFile, cluster);
    await promisify(execFile)(cluster.initdb, args, { ...spawnIdentity(account), env: POSTGRES_ENV, cwd: '/' });
    renameSync(draft, folder);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new LaunchError(`The database files could not be created in ${folder}: ${stderr?.trim() || message}`);
  } finally {
    removeDrafts(folder);
  }
}

function initdbArguments(folder: string, passwordFile: string, { release, durable }: NewCluster): string[] {
  return [
    `--pgdata=${folder}`,
    `--username=${POSTGRES_USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    ...release.locale,
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
}

/** Includes drafts of earlier, killed starts. */
function removeDrafts(folder: string): void {
  const parent = path.dirname(folder);
  const prefix = `${path.basename(folder)}.`;
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix) && name.endsWith('.new'))
      rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}
