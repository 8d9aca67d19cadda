import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { giveTo, spawnIdentity } from './account.js';
import type { DataFolder } from './data-folder.js';
import { LaunchError } from './launch-error.js';

export const POSTGRES_USER = 'tracesheet';
const MAJOR_VERSION = '18';

export interface NewCluster {
  initdb: string;
  password: string;
  /** False leaves flushing to the disk out; only for data that may vanish. */
  durable: boolean;
}

/** PostgreSQL's programs see nothing of our environment: LC_* and PG* variables would change what they do. */
export const POSTGRES_ENV = { PATH: process.env.PATH, HOME: '/', TZ: 'UTC', LC_ALL: 'C' };

/**
 * Creates the database files if there are none. They appear under their final name only when complete.
 * @throws LaunchError when they cannot be created, or are there but of another major version
 */
export async function ensureCluster(folder: DataFolder, cluster: NewCluster): Promise<void> {
  const versionFile = path.join(folder.path, 'PG_VERSION');
  if (!existsSync(versionFile)) await createCluster(folder, cluster);
  const version = readFileSync(versionFile, 'utf8').trim();
  if (version === MAJOR_VERSION) return;
  throw new LaunchError(
    `${folder.path} holds data of PostgreSQL ${version}, this is PostgreSQL ${MAJOR_VERSION}. Dump it with the old version and restore it into a new folder.`,
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
    const args = initdbArguments(draft, passwordFile, cluster.durable);
    await promisify(execFile)(cluster.initdb, args, { ...spawnIdentity(account), env: POSTGRES_ENV, cwd: '/' });
    renameSync(draft, folder);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new LaunchError(`The database files could not be created in ${folder}: ${stderr?.trim() || message}`);
  } finally {
    removeDrafts(folder);
  }
}

function initdbArguments(folder: string, passwordFile: string, durable: boolean): string[] {
  return [
    `--pgdata=${folder}`,
    `--username=${POSTGRES_USER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // Without these the cluster takes its encoding and sort order from whoever happens to start it first.
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
}

/** Also those that earlier, killed starts left behind. */
function removeDrafts(folder: string): void {
  const parent = path.dirname(folder);
  const prefix = `${path.basename(folder)}.`;
  for (const name of readdirSync(parent)) {
    if (name.startsWith(prefix) && name.endsWith('.new'))
      rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}
