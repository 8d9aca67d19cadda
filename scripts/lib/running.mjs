import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Failure } from './failure.mjs';
import { dataFolder } from './machine.mjs';

/**
 * Refuses early when the product already runs on the data folder. The launcher checks this too, and reliably; but
 * by then an installation or a build would have replaced the files under the running product.
 */
export function assertNotRunning(root) {
  const folder = dataFolder(root);
  const pid = holderOf(folder);
  if (!pid) return;
  throw new Failure(
    `Tracesheet already runs on ${folder} (process ${pid}). Stop it first (kill ${pid}), or give this one another folder: DATA_DIR=…`,
  );
}

/**
 * The process that holds the lock of a data folder: a launcher, or a command of the operator that has started the embedded
 * database. Null when there is none.
 */
export function holderOf(folder) {
  try {
    const { pid } = JSON.parse(readFileSync(path.join(folder, 'launcher.lock'), 'utf8'));
    return /embedded\/(launcher|admin)\.js( |$)/.test(commandLine(pid)) ? pid : null;
  } catch {
    return null;
  }
}

/** The words that a process was started with, separated by spaces. Throws when it is gone. */
function commandLine(pid) {
  if (existsSync('/proc/self/stat')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}
