import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from './failure.mjs';
import { statOf } from './process-stat.mjs';
import { whenStarterIsGone } from './starters.mjs';

const KEPT_OUTPUT = 6000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const POLL_MS = 20;
/** Time for a program to end after SIGTERM. */
const PATIENCE_MS = 10_000;

const running = new Set();
const watchers = new Set();
let ending = null;

/**
 * Runs a program in silence, in a group of its own: Ctrl-C in the terminal does not reach it, but ends it with everything that it has
 * started, and this process only goes when all of that is gone. Never resolves once it is to be ended, whatever the program makes of that.
 * @throws Failure with the end of its output when it does not succeed
 */
export function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: true });
  add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-KEPT_OUTPUT)));
  }
  return new Promise((resolve, reject) => {
    const fail = (reason) => reject(new Failure(describe([command, ...args].join(' '), reason, output.trim())));
    child.once('error', (error) => {
      remove(child);
      fail(error.message);
    });
    child.once('close', (code, signal) => {
      remove(child);
      if (ending) return;
      if (code === 0) resolve(output);
      else fail(signal ?? `exit code ${code}`);
    });
  });
}

/** Calls `tell` with the numbers of the groups that `run` has started and that are not gone, now and whenever that changes. */
export function watchGroups(tell) {
  const watcher = () => tell([...running].map(({ pid }) => pid));
  watchers.add(watcher);
  watcher();
  return () => watchers.delete(watcher);
}

/** Ends a group of processes. Resolves when the group is empty. */
export async function endGroup(pid) {
  signalGroup(pid, 'SIGTERM');
  for (const end = Date.now() + PATIENCE_MS; isGroup(pid);) {
    if (Date.now() > end) signalGroup(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

function add(child) {
  if (child.pid === undefined) return;
  if (running.size === 0) for (const name of SIGNALS) process.on(name, onSignal);
  running.add(child);
  for (const watcher of watchers) watcher();
}

function remove(child) {
  if (!running.delete(child)) return;
  if (running.size === 0 && !ending) for (const name of SIGNALS) process.off(name, onSignal);
  for (const watcher of watchers) watcher();
}

/** Other listeners of the signal decide about the exit. */
function onSignal(name) {
  void endRunning().then(() => process.listenerCount(name) === 1 && process.exit(exitCode(name)));
}

function endRunning() {
  ending ??= Promise.all([...running].map(({ pid }) => endGroup(pid)));
  return ending;
}

function signalGroup(pid, name) {
  try {
    process.kill(-pid, name);
    return true;
  } catch {
    return false;
  }
}

/** Whether a group has running processes. Dead ones may stay uncollected when their starter is gone. */
function isGroup(pid) {
  if (!signalGroup(pid, 0)) return false;
  const stats = allStats();
  return stats === null || stats.some(({ state, group }) => group === pid && state !== 'Z');
}

/** Facts about all processes; null where the system has no /proc. */
function allStats() {
  if (!existsSync('/proc/self/stat')) return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => statOf(pid) ?? []);
}

const exitCode = (name) => 128 + os.constants.signals[name];

/** A full disk is reported first, because programs bury it in their output. */
function describe(command, reason, output) {
  const full = /ENOSPC|No space left on device/.test(output) ? 'There is no space left on the device. ' : '';
  return `${full}\`${command}\` failed (${reason}).\n${output}`;
}

/**
 * Runs a program in this terminal and gives its exit code. The program alone decides what a signal does: this
 * process must not be gone before it is. Ctrl-C reaches the program by itself, as it goes to the whole group;
 * `forwarded` names the signals that are passed on, too.
 */
export function runInForeground(command, args, { forwarded, onSpawned, ...options }) {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  onSpawned?.(child);
  for (const name of SIGNALS) process.on(name, () => forwarded.includes(name) && child.kill(name));
  whenStarterIsGone(() => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? exitCode(signal)));
  });
}

/** Lets a signal end this command and what `run` has started. Gives a function that undoes it. */
export function stopOnSignals() {
  const stop = (name) => void endRunning().then(() => process.exit(exitCode(name)));
  for (const name of SIGNALS) process.on(name, stop);
  const watchNoMore = whenStarterIsGone(() => stop('SIGTERM'));
  return () => {
    watchNoMore();
    for (const name of SIGNALS) process.off(name, stop);
  };
}
