// `npm start`: from a fresh clone to the running product. Uses nothing but Node.js itself.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { assertStartable } from './lib/preflight.mjs';
import { dataFolder, prepare } from './lib/prepare.mjs';
import { startedAt } from './lib/progress.mjs';
import { runInForeground, stopOnSignals } from './lib/run.mjs';
import { assertNotRunning } from './lib/running.mjs';

const LAUNCHER = 'dist/src/embedded/launcher.js';
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

try {
  const listenNoMore = stopOnSignals();
  assertNotRunning(root);
  await assertStartable(process.env, dataFolder(root));
  await prepare(root, { redis: !process.env.REDIS_URL });
  listenNoMore();
  // The channel tells the launcher when this process is killed, so that it does not run on unseen.
  process.exitCode = await runInForeground(process.execPath, [LAUNCHER], {
    cwd: root,
    forwarded: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    env: { ...process.env, LAUNCH_STARTED_AT: String(startedAt) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
} catch (error) {
  exitWith(error);
}
