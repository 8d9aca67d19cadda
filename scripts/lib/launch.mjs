import { dataFolder } from './machine.mjs';
import { assertStartable } from './preflight.mjs';
import { startedAt } from './progress.mjs';
import { runInForeground, stopOnSignals } from './run.mjs';
import { assertNotRunning } from './running.mjs';

/**
 * Starts the product in this terminal and gives the exit code of its end. Its data are below `home`; `prepare` makes it ready to run.
 * @throws Failure saying what is in the way
 */
export async function launch({ home, launcher, prepare }) {
  const listenNoMore = stopOnSignals();
  assertNotRunning(home);
  await assertStartable(process.env, dataFolder(home));
  await prepare();
  listenNoMore();
  // The channel tells the launcher when this process is killed, so that it does not run on unseen.
  return runInForeground(process.execPath, [launcher], {
    cwd: home,
    forwarded: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    env: { ...process.env, LAUNCH_STARTED_AT: String(startedAt) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}
