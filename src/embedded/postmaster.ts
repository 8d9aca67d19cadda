import { rmSync } from 'node:fs';
import path from 'node:path';
import { LaunchError } from './launch-error.js';
import { commandLine, existsProcess, isAlive, readPidFile, signal, waitUntilGone } from './processes.js';

const FAST_STOP_MS = 20_000;
const IMMEDIATE_STOP_MS = 10_000;

/**
 * Makes a PostgreSQL data folder free to start on: stops the server that a killed launcher left running, and
 * removes a pid file at which PostgreSQL would refuse to start although its server has gone.
 * Only for the holder of the launcher lock: a server found here must be nobody's.
 * @throws LaunchError when the server cannot be stopped
 */
export async function clearPostmaster(dataFolder: string): Promise<void> {
  const file = path.join(dataFolder, 'postmaster.pid');
  const pid = readPidFile(file);
  if (!pid) return;
  if (isAlive(pid) && isPostmasterOf(pid, dataFolder)) await stopPostmaster(pid, dataFolder);
  // PostgreSQL takes any program that has this pid now, and even a zombie, for its old server. When nobody has the
  // pid it knows better, and needs the file to find that server's last sessions.
  if (existsProcess(pid)) rmSync(file, { force: true });
}

async function stopPostmaster(pid: number, dataFolder: string): Promise<void> {
  try {
    signal(pid, 'SIGINT'); // fast: ends sessions, writes a checkpoint
    if (await waitUntilGone(pid, FAST_STOP_MS)) return;
    signal(pid, 'SIGQUIT'); // immediate: the next start recovers from the log
    if (await waitUntilGone(pid, IMMEDIATE_STOP_MS)) return;
  } catch (error) {
    throw stillRunning(pid, dataFolder, (error as Error).message);
  }
  throw stillRunning(pid, dataFolder, 'it does not react to signals');
}

function stillRunning(pid: number, dataFolder: string, reason: string): LaunchError {
  return new LaunchError(
    `A PostgreSQL left by an earlier run (process ${pid}) still uses ${dataFolder} and cannot be stopped: ${reason}. Stop it and start again.`,
  );
}

function isPostmasterOf(pid: number, dataFolder: string): boolean {
  return startsPostgres(commandLine(pid), path.resolve(dataFolder));
}

/** Whether a command line is that of a PostgreSQL on the folder. Their paths may have spaces, which `ps` does not quote. */
export function startsPostgres(command: string, folder: string): boolean {
  const [program] = command.split(' -D ');
  return path.basename(program!).startsWith('postgres') && `${command} `.includes(` -D ${folder} `);
}
