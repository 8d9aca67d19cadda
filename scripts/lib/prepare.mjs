import path from 'node:path';
import { build, isBuilt } from './build.mjs';
import { Failure } from './failure.mjs';
import { install, isInstalled } from './install.mjs';
import { during } from './progress.mjs';
import { canInstallRedisServer, hasRedisServer, howToInstall, installRedisServer } from './redis-server.mjs';

/** As in package.json. */
const OLDEST_MINORS = { 20: 19, 22: 12 };

/**
 * Brings a checkout, however fresh, to the point where it can run: dependencies, redis-server, build.
 * Does only what is missing.
 * @param {{ redis?: boolean, tools?: boolean }} needs `tools`: what only tests and checks need
 * @throws Failure saying what to do
 */
export async function prepare(root, { redis = false, tools = false }) {
  assertNodeVersion();
  const programs = path.join(dataFolder(root), 'bin');
  process.env.PATH = [process.env.PATH, programs].filter(Boolean).join(path.delimiter);
  const missingRedis = redis && !hasRedisServer();
  if (missingRedis && !canInstallRedisServer()) throw new Failure(howToInstall());
  await inParallel([
    isInstalled(root, { tools }) ? null : during('Installing dependencies', install(root, { tools })),
    missingRedis ? during('Installing redis-server', installRedisServer(programs)) : null,
  ]);
  if (!isBuilt(root)) await during('Building', build(root));
}

/** Where the product keeps what belongs to this installation. */
export function dataFolder(root) {
  return path.resolve(root, process.env.DATA_DIR || '.data');
}

/** Waits for all even when one fails: half an installation of the other would be in the way of the next start. */
async function inParallel(work) {
  const results = await Promise.allSettled(work);
  const failures = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  if (failures.length === 0) return;
  const unexpected = failures.find((error) => !(error instanceof Failure));
  throw unexpected ?? new Failure(failures.map(({ message }) => message).join('\n\n'));
}

function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const newest = Math.max(...Object.keys(OLDEST_MINORS).map(Number));
  if (major > newest || minor >= OLDEST_MINORS[major]) return;
  throw new Failure(`Tracesheet needs Node.js 20.19, 22.12 or newer; this is ${process.versions.node}.`);
}
