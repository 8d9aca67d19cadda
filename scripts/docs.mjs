// `npm run docs`: writes what is generated from the code. With --check it only tells whether anything is out of date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { writeApiTypes } from '../console/scripts/api-types.mjs';
import { buildAlone } from './lib/prepare.mjs';

const GENERATED = [
  'openapi.json',
  ...['configuration', 'errors', 'events', 'filters', 'metrics', 'senders'].map((name) => `docs/reference/${name}.md`),
  'ARCHITECTURE.md',
  'console/src/api/schema.gen.ts',
];
const GRAPH = /(<!-- module graph -->\n)[^]*?(<!-- end -->)/;

const check = process.argv.includes('--check');
const before = GENERATED.map(read);
await buildAlone(process.cwd());
execFileSync('node', ['dist/src/docs.js'], { stdio: 'inherit' });
writeApiTypes(process.cwd());
writeFileSync(
  'ARCHITECTURE.md',
  read('ARCHITECTURE.md').replace(GRAPH, `$1\n\`\`\`mermaid\n${moduleGraph()}\n\`\`\`\n\n$2`),
);

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

/** One node per folder of src, one arrow per kind of import between them. */
function moduleGraph() {
  const options = ['src', '--output-type', 'json', '--collapse', '^src/[^/]+(\\.ts)?'];
  const output = execFileSync('node_modules/.bin/depcruise', options, { maxBuffer: 1 << 28 });
  const modules = JSON.parse(output).modules.filter(({ source }) => source.startsWith('src/'));
  const arrows = modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(({ resolved }) => resolved.startsWith('src/') && nodeName(resolved) !== nodeName(source))
      .map(({ resolved }) => `  ${nodeName(source)} --> ${nodeName(resolved)}`),
  );
  return ['flowchart TD', ...[...new Set(arrows)].sort((a, b) => (a < b ? -1 : 1))].join('\n');
}

/** Everything directly in src is the composition of the app. */
function nodeName(file) {
  const name = file.slice('src/'.length);
  return name.endsWith('.ts') ? 'app' : name;
}
