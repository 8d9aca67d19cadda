import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from './run.mjs';

const TARGET = 'dist/python/stdlib.zip';
const STAMP = 'dist/python/.built-from';
const PROGRAM = 'src/platform/sandbox/python/compile_library.py';
const PRELOADED = 'src/platform/sandbox/python/seal.py';
const SELF = fileURLToPath(import.meta.url);

/**
 * Compiles what interpreters of the sandbox load of Python's standard library, in a process of its own: the package has the
 * sources only, and compiling them is most of what a start takes. Does nothing when it was done for the same sources.
 */
export async function buildPythonLibrary(root) {
  if (!existsSync(path.join(root, PROGRAM))) return;
  const digest = digestSources(root);
  if (existsSync(path.join(root, TARGET)) && read(path.join(root, STAMP)) === digest) return;
  await run(process.execPath, [SELF, root]);
  writeFileSync(path.join(root, STAMP), digest);
}

function digestSources(root) {
  const hash = createHash('sha256').update(readFileSync(path.join(packageFolder(root), 'package.json')));
  for (const file of [path.join(root, PROGRAM), path.join(root, PRELOADED), SELF]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

function packageFolder(root) {
  return path.dirname(createRequire(path.join(root, 'package.json')).resolve('pyodide/package.json'));
}

async function compile(root) {
  const folder = packageFolder(root);
  const { loadPyodide } = await import(pathToFileURL(path.join(folder, 'pyodide.mjs')).href);
  const python = await loadPyodide();
  for (const file of [PROGRAM, PRELOADED])
    python.FS.writeFile(`/tmp/${path.basename(file)}`, readFileSync(path.join(root, file)));
  python.FS.writeFile('/tmp/source.zip', readFileSync(path.join(folder, 'python_stdlib.zip')));
  python.runPython(`
import sys
sys.path.insert(0, "/tmp")
import compile_library
compile_library.compile_library("/tmp/source.zip", "/tmp/target.zip")`);
  const target = path.join(root, TARGET);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(`${target}.new`, python.FS.readFile('/tmp/target.zip'));
  renameSync(`${target}.new`, target);
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

if (process.argv[1] === SELF) await compile(process.argv[2]);
