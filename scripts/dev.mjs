// `npm run dev`: the product from the sources. Each change is compiled and the api and the worker start again with it; both
// listen for a debugger, the api on 9229 and the worker on 9230.
import { watch } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith, Failure } from './lib/failure.mjs';
import { answersHelp, SETTINGS } from './lib/launch.mjs';
import { dataFolder } from './lib/machine.mjs';
import { assertStartable } from './lib/preflight.mjs';
import { buildAlone, prepare } from './lib/prepare.mjs';
import { startedAt } from './lib/progress.mjs';
import { runInForeground, stopOnSignals } from './lib/run.mjs';
import { assertNotRunning } from './lib/running.mjs';

/** Editors write a file in several steps, and a change of branch writes many. */
const QUIET_MS = 200;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const USAGE = `Usage: npm run dev

Starts the product from the sources, and its processes again after each change. Debuggers: the api on 9229, the worker on 9230.
${SETTINGS}`;

/** Compiles after each change, one compilation at a time. What cannot be compiled is shown, and the product runs on. */
function compileChanges(onCompiled) {
  let timer;
  let compiling = Promise.resolve();
  const compile = () => buildAlone(root).then(onCompiled, showProblem);
  for (const folder of ['src', 'migrations', 'console/src']) {
    watch(path.join(root, folder), { recursive: true }, (_event, file) => {
      if (!/\.(tsx?|css)$/.test(file ?? '') || file.endsWith('.spec.ts')) return;
      clearTimeout(timer);
      timer = setTimeout(() => (compiling = compiling.then(compile)), QUIET_MS);
    });
  }
}

function showProblem(error) {
  console.error(error instanceof Failure ? error.message : error);
}

async function develop() {
  const listenNoMore = stopOnSignals();
  assertNotRunning(root);
  await assertStartable(process.env, dataFolder(root));
  await prepare(root, { redis: !process.env.REDIS_URL });
  listenNoMore();
  let launcher;
  compileChanges(() => launcher?.send('changed'));
  return runInForeground(process.execPath, ['dist/src/embedded/launcher.js'], {
    cwd: root,
    forwarded: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    env: { ...process.env, LAUNCH_STARTED_AT: String(startedAt), LAUNCH_DEVELOPMENT: 'on' },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    onSpawned: (child) => (launcher = child),
  });
}

try {
  process.exit(answersHelp(USAGE) ? 0 : await develop()); // the watchers would keep this process
} catch (error) {
  exitWith(error);
}
