// Part of `npm run lint`: rules of this repository that no linter has.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { endsTooSoon, waitsByTheClock } from './lib/clock-rule.mjs';
import { usesOfOtherConnections } from './lib/transactions-rule.mjs';
import { readTwice } from './lib/words-rule.mjs';

/** Files that test the speed of bodies. */
const EXCUSED = ['test/e2e/slow-bodies.e2e-spec.ts'];

/** Folders whose comments, descriptions and test titles are plain English. Add a folder once it is clean. */
const PLAIN = [
  'src/access',
  'src/arrivals',
  'src/audit',
  'src/console',
  'src/datasets',
  'src/embedded',
  'src/entity-lists',
  'src/env-vars',
  'src/erasure',
  'src/evaluations',
  'src/events',
  'src/exports',
  'src/external-ids',
  'src/feeds',
  'src/folders',
  'src/live',
  'src/mcp-servers',
  'src/monitors',
  'src/platform/database',
  'src/platform/filters',
  'src/platform/http',
  'src/platform/outbound',
  'src/platform/secrets',
  'src/platform/telemetry',
  'src/prompts',
  'src/registry',
  'src/repricing',
  'src/retention',
  'src/reviews',
  'src/saved-views',
  'src/scim',
  'src/single-sign-on',
  'src/skills',
  'src/text-search',
  'src/tools',
  'src/track-requests',
  'src/trials',
  'src/webhooks',
  'src/workflows',
  'src/workspace-data',
  'test/documents',
];

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
    .filter((file) => file.endsWith('.ts') && isMeant(file))
    .flatMap((file) => rule(file, readFileSync(path.join(root, file), 'utf8')));
}
