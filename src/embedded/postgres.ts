import type { ChildProcess } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { prepareDataFolder } from './data-folder.js';
import { findPostgresBinaries } from './postgres-binaries.js';
import { POSTGRES_ENV, POSTGRES_USER, ensureCluster } from './postgres-cluster.js';
import { EMBEDDED_RELEASE, type PostgresRelease } from './postgres-release.js';
import { clearPostmaster } from './postmaster.js';
import { type ServerCommand, type Service, startOnFreePort } from './server-process.js';

/** The children of a killed server need a moment to notice. */
const OLD_CHILDREN_LEFT = /shared memory block .* is still in use/;

export interface PostgresOptions {
  dataDir: string;
  /** Taken when free; otherwise another one is. */
  port?: number;
  /** Superuser password. Set when the cluster is created; must not change. */
  password: string;
  /** False trades safety for speed; for tests. */
  durable?: boolean;
  /** Another PostgreSQL than the included release. */
  release?: PostgresRelease;
  /** Server settings by name; they take precedence over the defaults. */
  settings?: Record<string, string>;
  /** Aborting gives up the start; it does nothing to a server that is ready. */
  signal?: AbortSignal;
}

export interface PostgresService extends Service {
  port: number;
  child: ChildProcess;
  urlFor(database: string): string;
  recentOutput(): string;
}

const COMMON_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '200',
  shared_buffers: `${sharedMegabytes()}MB`,
  // Sustained ingestion writes a lot of log: few, spread-out checkpoints keep it fast. The whole pages in it are not
  // compressed: all that this server has for that is pglz, which takes writers longer than the bytes.
  max_wal_size: '4GB',
  // Log files are reused; commits wait while one is created.
  min_wal_size: '1GB',
  checkpoint_timeout: '15min',
};

/**
 * An eighth of the memory this process may use, 128 MB to 1 GB: searches come back to the same indexes and rows. What
 * does not fit is read through the cache of the operating system.
 */
function sharedMegabytes(): number {
  const available = Math.min(os.totalmem(), process.constrainedMemory() || Infinity);
  return Math.round(Math.min(1024, Math.max(128, available / 8 / 1024 ** 2)));
}

const THROWAWAY_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  dynamic_shared_memory_type: 'mmap', // keeps even a killed server from leaving anything outside its folder
  max_connections: '500', // every test process has several servers with pools of their own
};

/**
 * Starts a private PostgreSQL on 127.0.0.1, creating its files on the first start. A server that a killed
 * launcher left on the folder is stopped first. As root it runs under an unprivileged account.
 * `url` is that of the database `postgres`.
 * @throws LaunchError with a sentence to act on
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresService> {
  const { dataDir, password, durable = true, release = EMBEDDED_RELEASE } = options;
  const folder = prepareDataFolder(dataDir);
  const binaries = findPostgresBinaries(folder.account, path.dirname(folder.path), release);
  await ensureCluster(folder, { release, initdb: binaries.initdb, password, durable });
  await clearPostmaster(folder.path);

  const commandFor = (port: number): ServerCommand => ({
    name: 'PostgreSQL',
    file: binaries.postgres,
    args: serverArguments(folder.path, port, options),
    cwd: '/',
    env: POSTGRES_ENV,
    account: folder.account,
    readyText: 'database system is ready to accept connections',
    stop: { signal: 'SIGINT', limitMs: 30_000, lastResort: 'SIGQUIT' },
    abort: options.signal,
  });
  const server = await startOnFreePort(options.port, commandFor, OLD_CHILDREN_LEFT);
  const urlFor = (database: string): string =>
    `postgres://${POSTGRES_USER}:${encodeURIComponent(password)}@127.0.0.1:${server.port}/${database}`;
  return { ...server, urlFor, url: urlFor('postgres') };
}

function serverArguments(folder: string, port: number, { durable = true, settings }: PostgresOptions): string[] {
  const all = { ...COMMON_SETTINGS, ...(durable ? {} : THROWAWAY_SETTINGS), ...settings };
  const words = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', folder, '-p', String(port), ...words];
}
