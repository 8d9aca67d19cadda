import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.mjs';

const STAMP = 'dist/.built-from';
const ENTRY = 'dist/src/embedded/launcher.js';
const SOURCES = ['src', 'migrations', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', 'package-lock.json'];

/** True when dist was built from the sources as they are now. */
export function isBuilt(root) {
  if (!existsSync(path.join(root, ENTRY)) || !existsSync(path.join(root, STAMP))) return false;
  return readFileSync(path.join(root, STAMP), 'utf8') === digestSources(root);
}

/** Compiles the sources into dist. */
export async function build(root) {
  const digest = digestSources(root); // before, so that an edit made meanwhile is built next time
  await run(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'build'], { cwd: root });
  writeFileSync(path.join(root, STAMP), digest);
}

/** Content, not times: switching branches back and forth must not cost a build, nor an old checkout hide a change. */
function digestSources(root) {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesBelow(root, source))) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(path.join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function filesBelow(root, relative) {
  const absolute = path.join(root, relative);
  if (!existsSync(absolute)) return [];
  if (path.extname(relative)) return [relative];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}
