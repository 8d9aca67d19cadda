import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { statOf } from './process-stat.mjs';
import { say } from './progress.mjs';
import { endGroup, watchGroups } from './run.mjs';

const RETRY_MS = 100;

/**
 * Does work that only one process may do at a time, which the file is the sign of. Others wait and say so. When the process that has
 * the lock is killed, whatever it has started and left behind is ended first: it might still be writing.
 */
export async function withLock(file, what, work) {
  const release = await acquire(file, what);
  try {
    return await work();
  } finally {
    release();
  }
}

async function acquire(file, what) {
  const self = { ...identify(process.pid), what, groups: [] };
  mkdirSync(path.dirname(file), { recursive: true });
  for (let isSaid = false; !create(file, self); await sleep(RETRY_MS)) {
    const holder = read(file);
    if (!holder) continue;
    if (!isRunning(holder)) {
      await takeOver(file, holder, self);
    } else if (!isSaid) {
      isSaid = true;
      say(`Waiting for process ${holder.pid}, which is busy with the same (${holder.what})`);
    }
  }
  // Processes that are started meanwhile are written down at once.
  const watchNoMore = watchGroups((pids) => replace(file, { ...self, groups: pids.map(identify) }));
  const release = () => {
    watchNoMore();
    process.off('exit', release);
    rmSync(file, { force: true });
  };
  process.on('exit', release);
  return release;
}

/**
 * Between reading a lock and removing it somebody else may have replaced it: only the owner of a guard named after the dead holder
 * may do so, and looks again first.
 */
async function takeOver(file, dead, self) {
  const guard = `${file}.${dead.pid}.stale`;
  if (!create(guard, self)) {
    const other = read(guard);
    if (other && !isRunning(other)) rmSync(guard, { force: true });
    return;
  }
  const current = read(file);
  if (current?.pid === dead.pid && current.identity === dead.identity) {
    for (const group of current.groups ?? []) if (isOurs(group)) await endGroup(group.pid);
    rmSync(file, { force: true });
  }
  rmSync(guard, { force: true });
}

/** A link appears complete or not at all, so no process reads half a lock. False when there is one. */
function create(file, holder) {
  const draft = draftOf(file, holder);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function replace(file, holder) {
  renameSync(draftOf(file, holder), file);
}

function draftOf(file, holder) {
  const draft = `${file}.${holder.pid}.new`;
  writeFileSync(draft, JSON.stringify(holder));
  return draft;
}

/** Null when there is none. A file that cannot be parsed belongs to no process. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return error.code === 'ENOENT' ? null : { pid: 0, identity: null };
  }
}

/** A number is given again to later processes; with the time of its start it is unique. Null where that cannot be known. */
function identify(pid) {
  return { pid, identity: statOf(pid)?.started ?? null };
}

function isRunning({ pid, identity }) {
  if (!(pid > 0)) return false;
  const stat = statOf(pid);
  if (stat) return stat.state !== 'Z' && (identity === null || stat.started === identity);
  try {
    process.kill(pid, 0);
    return identity === null;
  } catch {
    return false;
  }
}

/**
 * Whether a group is ours. Its number is not reused while it has members: only a living leader may be another process.
 */
function isOurs({ pid, identity }) {
  const stat = statOf(pid);
  return !stat || stat.started === identity;
}
