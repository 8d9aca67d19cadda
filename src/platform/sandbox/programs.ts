import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxLimits } from './limits.js';

/** Engines of the sandbox. Each has processes of its own, so rendering never waits for code. */
export const PROCESS_KINDS = ['templates', 'javascript', 'expressions', 'python'] as const;
export type ProcessKind = (typeof PROCESS_KINDS)[number];

/** The program of a process: a file, the flags of Node and the arguments of the program. */
export interface Program {
  file: string;
  flags: string[];
  args: string[];
}

export function programOf(kind: ProcessKind, limits: SandboxLimits): Program {
  const memoryMb = kind === 'templates' ? limits.templatesMb : limits.codeMb;
  const flags = kind === 'python' ? pythonFlags(limits) : nodeFlags(limits);
  // Only the libraries of expressions may generate JavaScript from texts: they compile schemas.
  if (kind !== 'expressions') flags.push('--disallow-code-generation-from-strings');
  return { file: path.join(FOLDER, 'engine.process.js'), flags, args: [kind, String(memoryMb)] };
}

function nodeFlags({ expressionsMb }: SandboxLimits): string[] {
  // A thread ends the process when its parent is gone.
  return [`--max-old-space-size=${expressionsMb}`, '--allow-worker', ...mayRead(PACKAGES)];
}

function pythonFlags({ codeMb }: SandboxLimits): string[] {
  const maxPages = (codeMb + PYTHON_MB) * PAGES_PER_MB;
  return [`--wasm-max-mem-pages=${maxPages}`, ...mayRead(PYTHON_FOLDER, folderOf('pyodide'))];
}

/** Node does not read TypeScript, so tests run the programs that were built before. */
const FOLDER = fileURLToPath(new URL('.', import.meta.url)).replace(
  /([\\/])(src[\\/]platform[\\/]sandbox[\\/])$/,
  (all, slash: string, rest: string) => (import.meta.url.endsWith('.ts') ? `${slash}dist${slash}${rest}` : all),
);
const PLATFORM = path.join(FOLDER, '..');
/** Standard library and memory image of the interpreter, made by the build. */
const PYTHON_FOLDER = path.join(FOLDER, '../../../python');

/** Memory of the Python interpreter itself, in MiB. */
const PYTHON_MB = 64;
const PAGES_PER_MB = 16;

const requireHere = createRequire(import.meta.url);

function folderOf(packageName: string): string {
  return path.dirname(requireHere.resolve(`${packageName}/package.json`));
}

/** Installed packages. */
const PACKAGES = path.dirname(folderOf('workerpool'));

/** Node's permission model: the process reads its program, writes nothing and starts no process. */
function mayRead(...folders: string[]): string[] {
  const permission = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';
  const readable = [PLATFORM, folderOf('workerpool'), ...folders];
  return [permission, '--no-warnings', ...readable.map((folder) => `--allow-fs-read=${path.join(folder, '*')}`)];
}
