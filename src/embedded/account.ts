import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { LaunchError } from './launch-error.js';

/** The account a service runs under when the launcher itself is root. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const PREFERRED = ['postgres', 'nobody', 'daemon'];

/** True when the launcher is root, so that its services must run under another account: PostgreSQL refuses root. */
export const runsAsRoot = process.getuid?.() === 0;

/** @throws LaunchError when the system has none of the usual unprivileged accounts */
export function unprivilegedAccount(): Account {
  const accounts = systemAccounts();
  for (const name of PREFERRED) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account) return account;
  }
  throw new LaunchError(
    `PostgreSQL refuses to run as root and there is no account named ${PREFERRED.join(', ')} to run it with. Create one (useradd --system postgres), or start Tracesheet as an ordinary user.`,
  );
}

/** The account with this user id, whether or not the system has a name for it. */
export function accountOf(uid: number, gid: number): Account {
  return systemAccounts().find((account) => account.uid === uid) ?? { name: `user ${uid}`, uid, gid };
}

/** Options of `spawn` to run a program as the account; empty when the launcher's own user is right. */
export function spawnIdentity(account: Account | null): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

/** True when the account can go into the folder. Asks the system itself, as access lists count too. */
export function canEnter(account: Account, folder: string): boolean {
  return spawnSync('test', ['-x', folder], { ...spawnIdentity(account), cwd: '/' }).status === 0;
}

/** Gives a file or folder to the account; does nothing without one. */
export function giveTo(account: Account | null, file: string): void {
  if (account) chownSync(file, account.uid, account.gid);
}

function systemAccounts(): Account[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return lines
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
