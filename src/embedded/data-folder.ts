import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { type Account, accountOf, canEnter, giveTo, runsAsRoot, unprivilegedAccount } from './account.js';
import { LaunchError } from './launch-error.js';

/** Folder of root for data that its unprivileged services could not reach inside the checkout, e.g. below /root. */
export const SYSTEM_FOLDER = '/var/lib/tracesheet';

export interface DataFolder {
  /** Absolute, links resolved. Its parent exists and the account can enter it; the folder itself may not exist yet. */
  path: string;
  /** The account that owns the data and runs the service; null = the launcher's own user. */
  account: Account | null;
}

/**
 * Decides where a service keeps its data and under which account it runs.
 *
 * Not root: the folder itself. Root: an existing folder stays with its owner, so that the same data can be
 * started by its user and by root; a new one gets an unprivileged account, and if that account cannot reach
 * it, the data go below `systemFolder` and the wanted place becomes a link to them.
 * @throws LaunchError when the data belong to another user or cannot be reached
 */
export function prepareDataFolder(wanted: string, systemFolder = SYSTEM_FOLDER): DataFolder {
  const folder = path.resolve(wanted);
  mkdirSync(path.dirname(folder), { recursive: true });
  if (isLink(folder) && !existsSync(folder)) {
    throw new LaunchError(
      `${folder} links to a folder that is gone. Restore that folder, or remove the link to start empty.`,
    );
  }
  if (existsSync(folder)) return runsAsRoot ? existingFolderForRoot(folder) : existingFolderForUser(folder);
  return runsAsRoot ? newFolderForRoot(folder, systemFolder) : { path: resolveParent(folder), account: null };
}

function existingFolderForUser(folder: string): DataFolder {
  const owner = statSync(folder).uid;
  if (owner !== process.getuid?.()) {
    throw new LaunchError(
      `${folder} belongs to user ${owner}, probably because Tracesheet was started by root before. Start it as that user again, or choose another folder: DATA_DIR=…`,
    );
  }
  return { path: realpathSync(folder), account: null };
}

function existingFolderForRoot(folder: string): DataFolder {
  const real = realpathSync(folder);
  const { uid, gid } = statSync(real);
  const account = uid === 0 ? unprivilegedAccount() : accountOf(uid, gid);
  // Data copied or restored by root.
  if (uid === 0) spawnSync('chown', ['-R', `${account.uid}:${account.gid}`, real]);
  if (!canEnter(account, real)) {
    throw new LaunchError(
      `The account ${account.name}, which runs the service, cannot enter ${real}. Let it enter every folder above (chmod o+x), or choose another folder: DATA_DIR=…`,
    );
  }
  return { path: real, account };
}

function newFolderForRoot(folder: string, systemFolder: string): DataFolder {
  const account = unprivilegedAccount();
  if (canEnter(account, path.dirname(folder))) return { path: resolveParent(folder), account };
  mkdirSync(systemFolder, { recursive: true, mode: 0o755 });
  // A new name each time: data of an earlier checkout in the same folder must not be opened with this one's password.
  const home = mkdtempSync(path.join(systemFolder, 'data-'));
  chmodSync(home, 0o755);
  const real = path.join(home, path.basename(folder));
  mkdirSync(real, { mode: 0o700 });
  giveTo(account, real);
  symlinkSync(real, folder);
  return { path: real, account };
}

function resolveParent(folder: string): string {
  return path.join(realpathSync(path.dirname(folder)), path.basename(folder));
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
