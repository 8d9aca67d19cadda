import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildConsole, isConsoleBuilt } from './build-console.mjs';
import { digestOf, filesBelow } from './digest.mjs';
import { Failure } from './failure.mjs';
import { buildPythonSnapshot } from './python-snapshot.mjs';

const STAMP = 'dist/.built-from';
const ENTRY = 'dist/src/embedded/launcher.js';
const COMPILED = ['src', 'migrations'];
const SOURCES = [
  ...COMPILED,
  'scripts/lib/build.mjs',
  'scripts/lib/digest.mjs',
  'scripts/lib/python-snapshot.mjs',
  'package-lock.json',
];

/** They mean what the compilerOptions of tsconfig.json mean; Vitest reads those and compiles the tests with this compiler, too. */
const OPTIONS = {
  lang: 'ts',
  target: 'es2023',
  sourcemap: true,
  assumptions: { setPublicClassFields: true },
  typescript: { removeClassFieldsWithoutInitializer: true },
  decorator: { legacy: true, emitDecoratorMetadata: true },
};

/** True when dist was built from the sources as they are now. */
export function isBuilt(root) {
  if (!existsSync(path.join(root, ENTRY)) || !existsSync(path.join(root, STAMP))) return false;
  return readFileSync(path.join(root, STAMP), 'utf8') === digestOf(root, SOURCES) && isConsoleBuilt(root);
}

/**
 * Compiles the sources of the server into dist and bundles the console, without checking types: that is `npm run
 * typecheck`. Unchanged files are not written again, and watchers see only the changed ones.
 * @throws Failure with the errors of the compiler
 */
export async function build(root) {
  // Only here, as it may have been installed a moment ago.
  const { transformSync } = await import('oxc-transform');
  const pythonSnapshot = buildPythonSnapshot(root);
  pythonSnapshot.catch(() => undefined); // awaited below
  const digest = digestOf(root, SOURCES); // before, so that an edit made meanwhile is built next time
  const results = new Map();
  const problems = [];
  for (const file of filesToCompile(root)) {
    const { code, map, errors } = transformSync(file, readFileSync(path.join(root, file), 'utf8'), OPTIONS);
    problems.push(...errors.map((error) => `${file}: ${error.message}\n${error.codeframe ?? ''}`));
    addResult(results, file, code, map);
  }
  if (problems.length > 0) throw new Failure(`The sources cannot be compiled.\n\n${problems.join('\n')}`);
  for (const file of filesToCopy(root))
    results.set(path.join('dist', file), readFileSync(path.join(root, file), 'utf8'));
  // The stamp is removed first: an interrupted build must not count as complete when the sources are reverted.
  rmSync(path.join(root, STAMP), { force: true });
  removeOthers(root, results);
  for (const [file, content] of results) writeWhenNew(path.join(root, file), content);
  await pythonSnapshot;
  writeFileSync(path.join(root, STAMP), digest);
  await buildConsole(root);
}

function filesToCompile(root) {
  const files = COMPILED.flatMap((source) => filesBelow(root, source));
  return files.filter((file) => file.endsWith('.ts') && !file.endsWith('.fixture.ts') && !file.endsWith('.d.ts'));
}

/** Files that run without compilation: programs in Python. */
function filesToCopy(root) {
  return COMPILED.flatMap((source) => filesBelow(root, source)).filter((file) => file.endsWith('.py'));
}

function addResult(results, file, code, map) {
  const target = path.join('dist', file.replace(/\.ts$/, '.js'));
  const source = path.relative(path.dirname(target), file);
  results.set(target, `${code}//# sourceMappingURL=${path.basename(target)}.map\n`);
  results.set(`${target}.map`, JSON.stringify({ ...map, sources: [source], sourcesContent: undefined }));
}

/** Removes files of earlier builds whose sources are gone. */
function removeOthers(root, results) {
  for (const file of COMPILED.flatMap((source) => filesBelow(root, path.join('dist', source)))) {
    if (!results.has(file)) rmSync(path.join(root, file));
  }
}

function writeWhenNew(file, content) {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
