// `npm run docs`: writes the files that are generated from the code. With --check it only reports whether one is out of
// date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeApiTypes } from '../console/scripts/api-types.mjs';
import { buildAlone } from './lib/prepare.mjs';

const GENERATED = [
  'ARCHITECTURE.md',
  'openapi.json',
  ...['configuration', 'errors', 'events', 'filters', 'metrics', 'senders'].map((name) => `docs/reference/${name}.md`),
  'console/src/api/schema.gen.ts',
];

const check = process.argv.includes('--check');
const before = GENERATED.map(read);
await buildAlone(process.cwd());
execFileSync('node', ['dist/src/docs.js'], { stdio: 'inherit' });
writeApiTypes(process.cwd());

const changed = GENERATED.filter((file, index) => read(file) !== before[index]);
if (check && changed.length > 0) {
  GENERATED.forEach((file, index) => writeFileSync(file, before[index]));
  console.error(`Out of date: ${changed.join(', ')}. Run npm run docs and commit the result.`);
  process.exitCode = 1;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
