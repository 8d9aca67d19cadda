import { Failure } from './failure.mjs';
import { dataFolder } from './machine.mjs';
import { assertStartable } from './preflight.mjs';
import { startedAt } from './progress.mjs';
import { runInForeground, stopOnSignals } from './run.mjs';
import { assertNotRunning } from './running.mjs';

/** Settings of the launcher, for `--help`. */
export const SETTINGS = `Settings are environment variables, such as PORT=3001:

  PORT               port of the API and the console (3000)
  DATA_DIR           folder that keeps the data (.data)
  DEMO               on or off: example data at the first start (on)
  CONSOLE            on or off: the web console at /console/ (on)
  LOG_LEVEL          least severe log lines to print (warn)
  BOOTSTRAP_API_KEY  the first API key, in place of one that is made and printed
  DATABASE_URL       a PostgreSQL of your own, in place of the embedded one
  REDIS_URL          a Redis of your own, in place of the embedded one

All others are in docs/reference/configuration.md.`;

/**
 * Parses the arguments of commands that take none. Returns true when `--help` asked for the usage, which is then
 * printed.
 * @throws Failure for any other argument
 */
export function answersHelp(usage, args = process.argv.slice(2)) {
  if (args.some((word) => word === '--help' || word === '-h')) {
    console.log(usage);
    return true;
  }
  if (args.length === 0) return false;
  throw new Failure(`This command takes no arguments, so "${args[0]}" cannot be used.\n\n${usage}`);
}

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
  // The channel closes when this process is killed, and the launcher ends as well.
  return runInForeground(process.execPath, [launcher], {
    cwd: home,
    forwarded: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    env: { ...process.env, LAUNCH_STARTED_AT: String(startedAt) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}
