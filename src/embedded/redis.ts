import type { ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { giveTo } from './account.js';
import { type DataFolder, prepareDataFolder } from './data-folder.js';
import { LaunchError } from './launch-error.js';
import { commandLine, isAlive, readPidFile, signal, waitUntilGone, workingFolder } from './processes.js';
import { type ServerCommand, type Service, startOnFreePort } from './server-process.js';

const PID_FILE = 'redis.pid';
/** Valkey is the same server under a name of its own. */
const PROGRAMS = ['redis-server', 'valkey-server'];
const STOP_LIMIT_MS = 10_000;

export interface RedisOptions {
  dataDir: string;
  /** Taken when free; otherwise another one is. */
  port?: number;
  /** Letters, digits, `-` and `_` only. */
  password: string;
  /** False keeps nothing on disk; for tests. */
  durable?: boolean;
  /** Further lines of its configuration. */
  settings?: string[];
  /** Aborting gives up the start; it does nothing to a server that is ready. */
  signal?: AbortSignal;
}

export interface RedisService extends Service {
  port: number;
  child: ChildProcess;
  recentOutput(): string;
}

/**
 * Starts a private `redis-server` or `valkey-server`, found on the PATH, on 127.0.0.1. One that a killed launcher left on
 * the folder is stopped first: two on one append-only file would ruin it.
 * @throws LaunchError with a sentence to act on
 */
export async function startRedis(options: RedisOptions): Promise<RedisService> {
  const file = findOnPath(PROGRAMS);
  const folder = prepareDataFolder(options.dataDir);
  createFolder(folder);
  await clearRedis(folder.path);
  const commandFor = (port: number): ServerCommand => ({
    name: 'Redis',
    file,
    args: ['-'],
    cwd: folder.path,
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    account: folder.account,
    input: configuration(port, options), // by standard input, so that the password is in no process list and no file
    readyText: 'Ready to accept connections',
    stop: { signal: 'SIGTERM', limitMs: STOP_LIMIT_MS, lastResort: 'SIGKILL' },
    abort: options.signal,
  });
  const server = await startOnFreePort(options.port, commandFor);
  return { ...server, url: `redis://:${options.password}@127.0.0.1:${server.port}/0` };
}

function configuration(port: number, { password, durable = true, settings = [] }: RedisOptions): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    'dir ./',
    `pidfile ${PID_FILE}`,
    'daemonize no',
    'save ""',
    `appendonly ${durable ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'maxmemory-policy noeviction', // a job must never be dropped to make room
    ...settings,
  ];
  return `${lines.join('\n')}\n`;
}

function findOnPath(programs: string[]): string {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean);
  const candidates = programs.flatMap((program) => folders.map((folder) => path.join(folder, program)));
  const file = candidates.find((candidate) => existsSync(candidate));
  if (file) return file;
  throw new LaunchError(
    `Neither ${programs.join(' nor ')} was found. Install Redis (npm start says how), or set REDIS_URL to a Redis 6.2 or newer.`,
  );
}

function createFolder({ path: folder, account }: DataFolder): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  giveTo(account, folder);
}

/**
 * Stops the server that a killed launcher left running on the folder. Only for the holder of the launcher lock.
 * @throws LaunchError when it cannot be stopped
 */
export async function clearRedis(folder: string): Promise<void> {
  const file = path.join(folder, PID_FILE);
  const pid = readPidFile(file);
  if (pid && isAlive(pid) && isRedisIn(pid, folder)) await stopOrphan(pid, folder);
  rmSync(file, { force: true }); // Redis goes on without a word when it cannot replace it
}

async function stopOrphan(pid: number, folder: string): Promise<void> {
  signal(pid, 'SIGTERM');
  if (await waitUntilGone(pid, STOP_LIMIT_MS)) return;
  signal(pid, 'SIGKILL');
  if (await waitUntilGone(pid, STOP_LIMIT_MS)) return;
  throw new LaunchError(
    `A Redis left by an earlier run (process ${pid}) still uses ${folder}. Stop it (kill -9 ${pid}) and start again.`,
  );
}

function isRedisIn(pid: number, folder: string): boolean {
  const command = commandLine(pid);
  if (!PROGRAMS.some((program) => command.includes(program))) return false;
  const cwd = workingFolder(pid);
  return cwd === null || cwd === folder;
}
