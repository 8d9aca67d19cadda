import { spawn } from 'node:child_process';
import os from 'node:os';
import { Failure } from './failure.mjs';
import { whenStarterIsGone } from './starters.mjs';

const KEPT_OUTPUT = 6000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const running = new Set();

/**
 * Runs a program in silence.
 * @throws Failure with the end of its output when it does not succeed
 */
export function run(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => (output = (output + text).slice(-KEPT_OUTPUT)));
  }
  return new Promise((resolve, reject) => {
    const fail = (reason) => reject(new Failure(describe([command, ...args].join(' '), reason, output.trim())));
    child.once('error', (error) => fail(error.message));
    child.once('close', (code, signal) => {
      running.delete(child);
      if (code === 0) resolve(output);
      else fail(signal ?? `exit code ${code}`);
    });
  });
}

/** A full disk is said first: the programs bury it in what they print. */
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
    child.once('exit', (code, signal) => resolve(code ?? 128 + os.constants.signals[signal]));
  });
}

/** Lets a signal end this command and what `run` has started. Gives a function that undoes it. */
export function stopOnSignals() {
  const stop = (name) => {
    for (const child of running) child.kill('SIGTERM');
    process.exit(128 + os.constants.signals[name]);
  };
  for (const name of SIGNALS) process.on(name, stop);
  const watchNoMore = whenStarterIsGone(() => stop('SIGTERM'));
  return () => {
    watchNoMore();
    for (const name of SIGNALS) process.off(name, stop);
  };
}
