// `npm run lint:deps`: the layers of the server (.dependency-cruiser.cjs), and the graph of its modules in ARCHITECTURE.md. With
// --write the graph is brought up to date.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const DOCUMENT = 'ARCHITECTURE.md';
const GRAPH = /(<!-- module graph -->\n)[^]*?(<!-- end -->)/;

// Both follow from one look at all files, which takes most of the time.
const { modules, summary } = readDependencies();
for (const { from, to, rule } of summary.violations) console.error(`${rule.severity} ${rule.name}: ${from} → ${to}`);
if (summary.error > 0) process.exitCode = 1;

const text = readFileSync(DOCUMENT, 'utf8');
const current = text.replace(GRAPH, `$1\n\`\`\`mermaid\n${moduleGraph()}\n\`\`\`\n\n$2`);
if (process.argv.includes('--write')) writeFileSync(DOCUMENT, current);
else if (current !== text) {
  console.error(`The graph of modules in ${DOCUMENT} is out of date. Run npm run docs and commit the result.`);
  process.exitCode = 1;
}

function readDependencies() {
  const options = ['src', 'migrations', 'console', '--output-type', 'json'];
  const { stdout, stderr } = spawnSync('node_modules/.bin/depcruise', options, {
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  });
  if (!stdout.startsWith('{')) throw new Error(`The dependencies cannot be read.\n${stderr || stdout}`);
  return JSON.parse(stdout);
}

/** One node per folder of src, one arrow per kind of import between them. */
function moduleGraph() {
  const isOurs = (file) => file.startsWith('src/');
  const arrows = modules
    .filter(({ source }) => isOurs(source))
    .flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ resolved }) => isOurs(resolved) && nodeName(resolved) !== nodeName(source))
        .map(({ resolved }) => `  ${nodeName(source)} --> ${nodeName(resolved)}`),
    );
  return ['flowchart TD', ...[...new Set(arrows)].sort((a, b) => (a < b ? -1 : 1))].join('\n');
}

/** Everything directly in src is the composition of the app. */
function nodeName(file) {
  const [, name] = file.split('/');
  return name.endsWith('.ts') ? 'app' : name;
}
