import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStat } from '../platform/process-stat.js';

const POLL_MS = 20;
const hasProc = existsSync('/proc/self/stat');

/** True while the process runs. A zombie counts as gone: nothing may ever reap it where pid 1 is not an init. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  const reachable = signalReaches(pid);
  if (reachable === 'no') return false;
  const stat = readStat(pid);
  // A process of another user may be hidden in /proc; ours is always visible there while it lives.
  if (!stat) return !hasProc || reachable === 'forbidden';
  return stat.state !== 'Z';
}

/** True when the system has a process of this number, be it a zombie. */
export function existsProcess(pid: number): boolean {
  return signalReaches(pid) !== 'no';
}

/**
 * Distinguishes this process from a later one with the same pid, also across reboots.
 * Null when it cannot be known.
 */
export function processIdentity(pid: number): string | null {
  if (!hasProc) return askPs(pid, 'lstart') || null;
  const stat = readStat(pid);
  return stat && `${bootId()}/${stat.startTicks}`;
}

/** Name of the system in which this process can ask for others by their pid. Containers of one machine have different ones. */
export function processSpace(): string {
  return hasProc ? `${bootId()}/${readlinkSync('/proc/self/ns/pid')}` : os.hostname();
}

/** The words the process was started with, separated by spaces; empty when they cannot be read. */
export function commandLine(pid: number): string {
  if (!hasProc) return askPs(pid, 'command');
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0$/, '').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Asks `ps`, which every Unix has, for one column about a process; empty when it is gone. */
export function askPs(pid: number, column: 'command' | 'lstart'): string {
  try {
    // -ww: not cut off at the width of a terminal.
    const args = ['-ww', '-o', `${column}=`, '-p', String(pid)];
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    return execFileSync('ps', args, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}

/** The folder the process works in; null when it cannot be known. */
export function workingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Waits until the process is gone; false when it still runs after `limitMs` milliseconds. */
export async function waitUntilGone(pid: number, limitMs: number): Promise<boolean> {
  const deadline = Date.now() + limitMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false;
    await sleep(POLL_MS);
  }
  return true;
}

/** The pid in the first line of a pid file; null without a file or without a number in it. */
export function readPidFile(file: string): number | null {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || null;
  } catch {
    return null;
  }
}

/** Sends a signal; a process that is already gone is not an error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function signalReaches(pid: number): 'yes' | 'no' | 'forbidden' {
  try {
    process.kill(pid, 0);
    return 'yes';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'forbidden' : 'no';
  }
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
