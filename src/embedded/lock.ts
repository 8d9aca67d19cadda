import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LaunchError } from './launch-error.js';
import { commandLine, isAlive, processIdentity } from './processes.js';

const FILE_NAME = 'launcher.lock';
const RETRY_MS = 25;
const ATTEMPTS = 200;

interface Holder {
  pid: number;
  /** See `processIdentity`; null where that cannot be known. */
  identity: string | null;
}

export interface Lock {
  /** Gives the folder free. Calling it twice does no harm. */
  release(): void;
}

/**
 * Makes this process the only launcher of a data folder, which must exist.
 * The lock of a launcher that was killed is taken over, however many processes try that at once.
 * @throws LaunchError naming the pid when another launcher runs on the folder
 */
export async function acquireLock(folder: string): Promise<Lock> {
  const file = path.join(folder, FILE_NAME);
  const self: Holder = { pid: process.pid, identity: processIdentity(process.pid) };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (createExclusively(file, self)) return { release: () => releaseIfOurs(file, self) };
    const holder = readHolder(file);
    if (holder && isRunning(holder)) throw alreadyRunning(folder, holder.pid);
    if (holder) removeStale(file, holder, self);
    await sleep(RETRY_MS);
  }
  throw new LaunchError(
    `The lock ${file} cannot be taken. If no other Tracesheet runs on this folder, remove that file.`,
  );
}

/** Whether a launcher runs on the folder. */
export function isLocked(folder: string): boolean {
  const holder = readHolder(path.join(folder, FILE_NAME));
  return holder !== null && isRunning(holder);
}

function alreadyRunning(folder: string, pid: number): LaunchError {
  return new LaunchError(
    `Tracesheet already runs on ${folder} (process ${pid}). Stop it first (kill ${pid}), or give this one another folder: DATA_DIR=…`,
  );
}

/**
 * Removes the lock of a dead holder. Between reading a lock and removing it somebody else may have
 * replaced it, so only the owner of a guard named after the dead holder may remove, and looks again first.
 */
function removeStale(file: string, dead: Holder, self: Holder): void {
  const guard = `${file}.${dead.pid}.stale`;
  if (!createExclusively(guard, self)) {
    const other = readHolder(guard);
    if (other && !isRunning(other)) rmSync(guard, { force: true });
    return;
  }
  const current = readHolder(file);
  if (current && sameHolder(current, dead)) rmSync(file, { force: true });
  rmSync(guard, { force: true });
}

/** A link appears complete or not at all, so nobody can read a half-written lock. */
function createExclusively(file: string, holder: Holder): boolean {
  const draft = `${file}.${holder.pid}.${process.hrtime.bigint()}.new`;
  writeFileSync(draft, JSON.stringify(holder), { mode: 0o644 });
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Null when there is no lock; pid 0, which never runs, when the file cannot be understood. */
function readHolder(file: string): Holder | null {
  try {
    const { pid, identity } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return { pid: Number(pid) || 0, identity: identity ?? null };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : { pid: 0, identity: null };
  }
}

function isRunning({ pid, identity }: Holder): boolean {
  if (!isAlive(pid)) return false;
  if (identity !== null) return processIdentity(pid) === identity;
  return commandLine(pid).includes('embedded/');
}

function sameHolder(a: Holder, b: Holder): boolean {
  return a.pid === b.pid && a.identity === b.identity;
}

function releaseIfOurs(file: string, self: Holder): void {
  const holder = readHolder(file);
  if (holder && sameHolder(holder, self)) rmSync(file, { force: true });
}
