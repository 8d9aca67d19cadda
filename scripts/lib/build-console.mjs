import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { digestOf } from './digest.mjs';
import { run } from './run.mjs';

const STAMP = 'dist/.console-built-from';
const PAGE = 'dist/console/index.html';
const PARTS = ['src', 'public', 'index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'];
const SOURCES = [...PARTS.map((part) => `console/${part}`), 'scripts/lib/build-console.mjs', 'package-lock.json'];

/** True when dist/console was built from the sources as they are now, or when there are none: the server runs without them. */
export function isConsoleBuilt(root) {
  if (!existsSync(path.join(root, 'console/index.html'))) return true;
  if (!existsSync(path.join(root, PAGE)) || !existsSync(path.join(root, STAMP))) return false;
  return readFileSync(path.join(root, STAMP), 'utf8') === digestOf(root, SOURCES);
}

/**
 * Bundles the console into dist/console, when its sources have changed. It is done in a process of its own, as it takes hundreds of
 * megabytes that `npm start` would hold on to.
 * @throws Failure with what the bundler does not understand
 */
export async function buildConsole(root) {
  if (isConsoleBuilt(root)) return;
  const digest = digestOf(root, SOURCES); // before, so that an edit made meanwhile is built next time
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  rmSync(path.join(root, STAMP), { force: true });
  await run(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: path.join(root, 'console') });
  writeFileSync(path.join(root, STAMP), digest);
}
