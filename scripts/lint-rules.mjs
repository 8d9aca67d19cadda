// Part of `npm run lint`: rules of this repository that no linter has.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endsTooSoon, waitsByTheClock } from './lib/clock-rule.mjs';
import { usesOfOtherConnections } from './lib/transactions-rule.mjs';
import { readTwice } from './lib/words-rule.mjs';

/** Files that test the speed of bodies. */
const EXCUSED = ['test/e2e/slow-bodies.e2e-spec.ts'];

/** Folders whose comments, descriptions and test titles are plain English. */
const PLAIN = ['console/src', 'scripts', 'src', 'test'];

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const found = [
  ...check(['src'], usesOfOtherConnections, (name) => !name.endsWith('.spec.ts')),
  ...check(['test/e2e', 'test/contract'], waitsByTheClock, (name) => !EXCUSED.includes(name)),
  ...check(['test'], endsTooSoon, (name) => !name.startsWith('test/bench/')),
  ...check(PLAIN, readTwice),
];
for (const line of found) console.error(line);
process.exitCode = found.length > 0 ? 1 : 0;

function check(folders, rule, isMeant = () => true) {
  return folders
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true }).map((name) => path.join(folder, name)),
    )
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && isMeant(file))
    .flatMap((file) => rule(file, readFileSync(path.join(root, file), 'utf8')));
}
