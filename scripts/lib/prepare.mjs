import { build, isBuilt } from './build.mjs';
import { Failure } from './failure.mjs';
import { install, isInstalled } from './install.mjs';
import { assertNodeVersion, prepareRedis } from './machine.mjs';
import { during } from './progress.mjs';

/**
 * Brings a checkout, however fresh, to the point where it can run: dependencies, redis-server, build.
 * Does only what is missing.
 * @param {{ redis?: boolean, tools?: boolean }} needs `tools`: what only tests and checks need
 * @throws Failure saying what to do
 */
export async function prepare(root, { redis = false, tools = false }) {
  assertNodeVersion();
  const installing = prepareRedis(root, redis);
  await inParallel([
    isInstalled(root, { tools }) ? null : during('Installing dependencies', install(root, { tools })),
    installing,
  ]);
  if (!isBuilt(root)) await during('Building', build(root));
}

/** Waits for all even when one fails: half an installation of the other would be in the way of the next start. */
async function inParallel(work) {
  const results = await Promise.allSettled(work);
  const failures = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason);
  if (failures.length === 0) return;
  const unexpected = failures.find((error) => !(error instanceof Failure));
  throw unexpected ?? new Failure(failures.map(({ message }) => message).join('\n\n'));
}
