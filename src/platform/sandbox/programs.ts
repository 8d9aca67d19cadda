import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxLimits } from './limits.js';

/** Program of a process, and the flags of Node that it starts with. */
export interface Program {
  file: string;
  flags: string[];
}

/**
 * Programs of the sandbox by the kind of process. Each kind has processes of its own: rendering never waits for code, and only
 * expressions, whose libraries compile schemas, may make JavaScript from texts.
 */
export const PROGRAMS = { templates, plain, python };

export type ProcessKind = keyof typeof PROGRAMS;

function templates(limits: SandboxLimits): Program {
  return { ...plain(limits), flags: [...plain(limits).flags, NO_CODE_FROM_TEXTS] };
}

function plain({ expressionsMb }: SandboxLimits): Program {
  // A thread ends the process when its parent is gone.
  const flags = [`--max-old-space-size=${expressionsMb}`, '--allow-worker', ...mayRead(PACKAGES)];
  return { file: path.join(FOLDER, 'plain.process.js'), flags };
}

function python({ codeMb }: SandboxLimits): Program {
  const maxPages = (codeMb + PYTHON_MB) * PAGES_PER_MB;
  const flags = [
    NO_CODE_FROM_TEXTS,
    `--wasm-max-mem-pages=${maxPages}`,
    ...mayRead(PYTHON_FOLDER, folderOf('pyodide')),
  ];
  return { file: path.join(FOLDER, 'python.process.js'), flags };
}

/** Node does not read TypeScript, so tests run the programs that were built before. */
const FOLDER = fileURLToPath(new URL('.', import.meta.url)).replace(
  /([\\/])(src[\\/]platform[\\/]sandbox[\\/])$/,
  (all, slash: string, rest: string) => (import.meta.url.endsWith('.ts') ? `${slash}dist${slash}${rest}` : all),
);
const PLATFORM = path.join(FOLDER, '..');
/** Standard library and memory image of the interpreter, made by the build. */
const PYTHON_FOLDER = path.join(FOLDER, '../../../python');

const NO_CODE_FROM_TEXTS = '--disallow-code-generation-from-strings';
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
