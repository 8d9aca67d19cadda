#!/usr/bin/env node
// `tracesheet`: the command of the installed package. It runs in the folder where it is called, which keeps the data.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith, Failure } from './lib/failure.mjs';
import { launch, SETTINGS } from './lib/launch.mjs';
import { assertNodeVersion, prepareRedis } from './lib/machine.mjs';
import { runInForeground } from './lib/run.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const home = process.cwd();
const builtFile = (name) => path.join(root, 'dist/src', name);

const USAGE = `Usage: tracesheet [COMMAND]

  (nothing)        starts the product, with its data in .data below this folder, or in DATA_DIR
  admin …          manages workspaces, keys and backups: tracesheet admin says how
  migrate          brings the database of DATABASE_URL up to date
  api, worker      one process, on the services in DATABASE_URL and REDIS_URL
  --version
  --help

${SETTINGS}`;

/** Processes of their own, for installations without the launcher. */
const FILES = {
  admin: { file: 'embedded/admin.js', options: [] },
  migrate: { file: 'migrate.js', options: [] },
  api: { file: 'main.js', script: 'start:api' },
  worker: { file: 'worker.js', script: 'start:worker' },
};

const { version, scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** The options with which npm starts the process from a checkout. */
const optionsOf = (script) => scripts[script].split(' ').filter((word) => word.startsWith('--'));

function start() {
  const prepare = async () => {
    assertNodeVersion();
    await prepareRedis(home, !process.env.REDIS_URL);
  };
  return launch({ home, launcher: builtFile('embedded/launcher.js'), prepare });
}

async function run([command, ...args]) {
  if (command === undefined) return start();
  if (command === '--help' || command === '-h') return console.log(USAGE) ?? 0;
  if (command === '--version') return console.log(version) ?? 0;
  const found = Object.hasOwn(FILES, command) ? FILES[command] : null;
  if (!found) throw new Failure(`"${command}" is no command of tracesheet.\n\n${USAGE}`);
  const { file, options = optionsOf(found.script) } = found;
  const forwarded = ['SIGTERM', 'SIGHUP'];
  return runInForeground(process.execPath, [...options, builtFile(file), ...args], { cwd: home, forwarded });
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  exitWith(error);
}
