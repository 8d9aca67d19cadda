import path from 'node:path';
import { Failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { during } from './progress.mjs';
import { canInstallRedisServer, hasRedisServer, howToInstall, installRedisServer } from './redis-server.mjs';

/** Oldest minor version of each major version, as in package.json. */
const OLDEST_MINORS = { 20: 19, 22: 12 };

/** @throws Failure when this Node.js is too old */
export function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const newest = Math.max(...Object.keys(OLDEST_MINORS).map(Number));
  if (major > newest || minor >= OLDEST_MINORS[major]) return;
  throw new Failure(`Tracesheet needs Node.js 20.19, 22.12 or newer; this is ${process.versions.node}.`);
}

/** Data folder of this installation. A relative path is below `home`. */
export function dataFolder(home) {
  return path.resolve(home, process.env.DATA_DIR || '.data');
}

/**
 * Makes programs in the data folder known to this process. Gives the installation of redis-server; null when it is there already.
 * @throws Failure saying how to install it where this cannot be done by itself
 */
export function prepareRedis(home, isNeeded) {
  const programs = path.join(dataFolder(home), 'bin');
  process.env.PATH = [process.env.PATH, programs].filter(Boolean).join(path.delimiter);
  if (!isNeeded || hasRedisServer()) return null;
  if (!canInstallRedisServer()) throw new Failure(howToInstall());
  return withLock(path.join(dataFolder(home), 'programs.lock'), 'installing redis-server', async () => {
    if (!hasRedisServer()) await during('Installing redis-server', installRedisServer(programs));
  });
}
