// `npm start`: from a fresh clone to the running product. Uses nothing but Node.js itself.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWith } from './lib/failure.mjs';
import { answersHelp, launch, SETTINGS } from './lib/launch.mjs';
import { prepare } from './lib/prepare.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const USAGE = `Usage: npm start

Installs and builds what is missing, then starts the product in this terminal: database, queue, api and worker. Ctrl-C stops it.
${SETTINGS}`;

const start = () =>
  launch({
    home: root,
    launcher: 'dist/src/embedded/launcher.js',
    prepare: () => prepare(root, { redis: !process.env.REDIS_URL }),
  });

try {
  process.exitCode = answersHelp(USAGE) ? 0 : await start();
} catch (error) {
  exitWith(error);
}
