import { randomBytes } from 'node:crypto';
import { closeSync, fchownSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { runsAsRoot } from './account.js';
import { LaunchError } from './launch-error.js';

const FILE_NAME = 'state.json';

/** The state that the next start needs: without the passwords the data cannot be opened, without the key secrets cannot be decrypted. */
export interface LauncherState {
  postgresPassword: string;
  redisPassword: string;
  /** SECRETS_KEY of the product. */
  secretsKey: string;
  /** Keys before it that a rotation has not replaced everywhere yet. */
  previousSecretsKeys?: string[];
  postgresPort?: number;
  redisPort?: number;
}

/**
 * The state kept in a data folder. What is not in it yet, on the first start everything, is made and written before it is
 * returned.
 * @throws LaunchError when the file is there but cannot be read
 */
export function loadState(folder: string): LauncherState {
  const file = path.join(folder, FILE_NAME);
  const found = readState(file);
  if (found?.secretsKey) return found as LauncherState;
  const passwords = found ?? { postgresPassword: newPassword(), redisPassword: newPassword() };
  const state = { ...passwords, secretsKey: randomBytes(32).toString('base64') };
  saveState(folder, state);
  return state;
}

/** Replaces the kept state in one step, readable by its owner only, and on disk when this returns. */
export function saveState(folder: string, state: LauncherState): void {
  const file = path.join(folder, FILE_NAME);
  const draft = `${file}.${process.pid}.new`;
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    // Root may start data of a user, who must be able to read this file.
    const { uid, gid } = statSync(folder);
    if (runsAsRoot) fchownSync(descriptor, uid, gid);
    writeSync(descriptor, `${JSON.stringify(state, null, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

/** Data folders of versions without secrets have no key in their state. */
type KeptState = Omit<LauncherState, 'secretsKey'> & { secretsKey?: string };

function readState(file: string): KeptState | null {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as KeptState;
    if (!state.postgresPassword || !state.redisPassword) throw new Error('it holds no passwords');
    return state;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new LaunchError(
      `${file} cannot be read (${reason}). It keeps the passwords of the embedded services: start as the user who created it, or restore it from a backup.`,
    );
  }
}

/** Safe in URLs and configuration files without quoting. */
function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
