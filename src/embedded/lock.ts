import { linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LaunchError } from './launch-error.js';
import { commandLine, isAlive, processIdentity, processSpace } from './processes.js';

const FILE_NAME = 'launcher.lock';
const RETRY_MS = 25;
const ATTEMPTS = 200;
const RENEWAL_MS = 2_000;
/** A holder that cannot be asked and has not renewed its lock for so many milliseconds is gone. */
const SILENCE_MS = 20_000;

interface Holder {
  pid: number;
  /** Where this pid means something: see `processSpace`. Missing in locks of earlier versions. */
  space?: string;
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
  const self: Holder = { pid: process.pid, space: processSpace(), identity: processIdentity(process.pid) };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (createExclusively(file, self)) return keep(file, self);
    const holder = readHolder(file);
    if (holder && isElsewhere(holder)) await untilSilent(folder, file);
    else if (holder && isRunning(holder)) throw alreadyRunning(folder, holder.pid);
    if (holder) removeStale(file, holder, self);
    await sleep(RETRY_MS);
  }
  throw new LaunchError(
    `The lock ${file} cannot be taken. If no other Tracesheet runs on this folder, remove that file.`,
  );
}

/** Whether a launcher runs on the folder. */
export function isLocked(folder: string): boolean {
  const file = path.join(folder, FILE_NAME);
  const holder = readHolder(file);
  return holder !== null && isHeld(file, holder);
}

/** Renews the lock until its release, for processes that cannot see this one. */
function keep(file: string, self: Holder): Lock {
  const timer = setInterval(() => renew(file, self), RENEWAL_MS);
  timer.unref();
  return {
    release: () => {
      clearInterval(timer);
      ifOurs(file, self, () => rmSync(file, { force: true }));
    },
  };
}

function renew(file: string, self: Holder): void {
  try {
    ifOurs(file, self, () => utimesSync(file, new Date(), new Date()));
  } catch {
    // Without its renewal it is still a lock for the processes that can ask for this one.
  }
}

/**
 * Waits until a lock of another process space is no longer renewed, or is released.
 * @throws LaunchError when it is renewed
 */
async function untilSilent(folder: string, file: string): Promise<void> {
  const seen = renewedAt(file);
  if (seen === null) return;
  for (const end = Math.min(seen, Date.now()) + SILENCE_MS; Date.now() < end; await sleep(RETRY_MS)) {
    const latest = renewedAt(file);
    if (latest === null) return;
    if (latest !== seen) throw runsElsewhere(folder);
  }
}

function runsElsewhere(folder: string): LaunchError {
  return new LaunchError(
    `Tracesheet already runs on ${folder}, in another container or on another machine. Stop it there first, or give this one another folder: DATA_DIR=…`,
  );
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
    if (other && !isHeld(guard, other)) rmSync(guard, { force: true });
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
    const { pid, space, identity } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>;
    return { pid: Number(pid) || 0, space, identity: identity ?? null };
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : { pid: 0, identity: null };
  }
}

/** When the lock was made or renewed, in milliseconds since the epoch; null when there is none. */
function renewedAt(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function isHeld(file: string, holder: Holder): boolean {
  if (isElsewhere(holder)) return Date.now() - (renewedAt(file) ?? 0) < SILENCE_MS;
  return isRunning(holder);
}

/** Whether this process cannot ask for the holder: its pid belongs to another process here, or to none. */
function isElsewhere({ space }: Holder): boolean {
  return space !== undefined && space !== processSpace();
}

function isRunning({ pid, identity }: Holder): boolean {
  if (!isAlive(pid)) return false;
  if (identity !== null) return processIdentity(pid) === identity;
  return commandLine(pid).includes('embedded/');
}

function sameHolder(a: Holder, b: Holder): boolean {
  return a.pid === b.pid && a.space === b.space && a.identity === b.identity;
}

function ifOurs(file: string, self: Holder, act: () => void): void {
  const holder = readHolder(file);
  if (holder && sameHolder(holder, self)) act();
}
