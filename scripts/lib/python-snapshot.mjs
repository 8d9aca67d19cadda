import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { run } from './run.mjs';

const TARGET = 'dist/python/snapshot.bin';
const STAMP = 'dist/python/.built-from';
const PROGRAMS = 'src/platform/sandbox/python';
const SITE_PACKAGES = '/lib/python3.14/site-packages';
const SELF = fileURLToPath(import.meta.url);

/**
 * Writes the memory of a Python interpreter that has imported what the processes of the sandbox need. They start from it in a
 * fifth of the time that a start without it takes. Does nothing when the file was made from the same sources.
 */
export async function buildPythonSnapshot(root) {
  if (!existsSync(path.join(root, PROGRAMS))) return;
  const digest = digestSources(root);
  if (existsSync(path.join(root, TARGET)) && read(path.join(root, STAMP)) === digest) return;
  rmSync(path.join(root, STAMP), { force: true });
  await run(process.execPath, [SELF, root]);
  writeFileSync(path.join(root, STAMP), digest);
}

function digestSources(root) {
  const hash = createHash('sha256').update(readFileSync(path.join(packageFolder(root), 'package.json')));
  for (const file of [...sources(root, '.py', '.whl'), SELF]) hash.update(readFileSync(file));
  return hash.digest('hex');
}

function sources(root, ...endings) {
  const folder = path.join(root, PROGRAMS);
  const names = readdirSync(folder).filter((name) => endings.includes(path.extname(name)));
  return names.sort().map((name) => path.join(folder, name));
}

function packageFolder(root) {
  return path.dirname(createRequire(path.join(root, 'package.json')).resolve('pyodide/package.json'));
}

async function makeSnapshot(root) {
  const { loadPyodide } = await import(pathToFileURL(path.join(packageFolder(root), 'pyodide.mjs')).href);
  const silent = () => undefined;
  const python = await loadPyodide({ _makeSnapshot: true, jsglobals: {}, stdout: silent, stderr: silent });
  for (const file of sources(root, '.py'))
    python.FS.writeFile(`${SITE_PACKAGES}/${path.basename(file)}`, readFileSync(file));
  const [tzdata] = sources(root, '.whl');
  python.FS.writeFile('/tmp/tzdata.zip', readFileSync(tzdata));
  python.runPython("import seal; seal.preload('/tmp/tzdata.zip')");
  const target = path.join(root, TARGET);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(`${target}.new`, python.makeMemorySnapshot());
  renameSync(`${target}.new`, target);
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

if (process.argv[1] === SELF) await makeSnapshot(process.argv[2]);
