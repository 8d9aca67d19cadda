import path from 'node:path';
import { build, isBuilt } from './build.mjs';
import { Failure } from './failure.mjs';
import { install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';
import { assertNodeVersion, dataFolder, prepareRedis } from './machine.mjs';
import { during } from './progress.mjs';
import { holderOf } from './running.mjs';

/** Lock of a checkout, for its packages and its build. */
const LOCK = '.prepare.lock';

/**
 * Brings a checkout, however fresh, to the point where it can run: dependencies, redis-server, build.
 * Does only what is missing; what another process does at the same time is waited for.
 * @param {{ redis?: boolean, tools?: boolean }} needs `tools`: what only tests and checks need
 * @throws Failure saying what to do
 */
export async function prepare(root, { redis = false, tools = false }) {
  assertNodeVersion();
  const installing = prepareRedis(root, redis);
  await inParallel([
    unless(
      root,
      () => isInstalled(root, { tools }),
      'Installing dependencies',
      () => install(root, { tools }),
    ),
    installing,
  ]);
  await unless(
    root,
    () => isBuilt(root),
    'Building',
    () => build(root),
  );
}

/**
 * Prepares a checkout for a command that may be called while the product runs from it.
 * @throws Failure where an installation or a build would replace the files under the running product
 */
export async function prepareBeside(root, needs) {
  // The usual folder, too: a command for another one has the same files.
  const folder = [dataFolder(root), path.join(root, '.data')].find(holderOf);
  if (folder && !(isInstalled(root, { tools: false }) && isBuilt(root))) {
    const pid = holderOf(folder);
    throw new Failure(
      `The sources have changed since Tracesheet was started on ${folder} (process ${pid}): this command would install or build them under it. Stop it first (kill ${pid}); then this command installs and builds, like npm start.`,
    );
  }
  await prepare(root, needs);
}

/** Builds a checkout, also if it is built already, while no other process prepares it. */
export function buildAlone(root) {
  return withLock(path.join(root, LOCK), 'building', () => build(root));
}

/** Looks again when its turn has come. */
async function unless(root, isDone, what, work) {
  if (isDone()) return;
  await withLock(path.join(root, LOCK), what.toLowerCase(), async () => {
    if (!isDone()) await during(what, work());
  });
}

/** Waits for all even when one fails: half an installation of the other would be in the way of the next start. */
async function inParallel(work) {
  const results = await Promise.allSettled(work);
  const failures = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  if (failures.length === 0) return;
  const unexpected = failures.find((error) => !(error instanceof Failure));
  throw unexpected ?? new Failure(failures.map(({ message }) => message).join('\n\n'));
}
