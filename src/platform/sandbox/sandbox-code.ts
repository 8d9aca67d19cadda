import { readFile, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type TypeScript from 'typescript';

/** What the threads of the sandbox run, as JavaScript. */
export interface SandboxCode {
  /** The thread itself. */
  thread: string;
  /** The modules of the template engine by file name ("main.js"). */
  modules: Record<string, string>;
  /** Where the interpreter is installed. */
  quickjsUrl: string;
}

const requireHere = createRequire(import.meta.url);
/** Compiled, this file ends in .js and so do its neighbours. Tests run the sources. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js';

/** What the template engine needs of the platform. */
const SHARED = ['parse-bigints', 'exact-integers', 'json-limits'];

let code: Promise<SandboxCode> | null = null;

/**
 * Reads the code of the sandbox, once. It travels as text: threads and the interpreter inside them load it from
 * memory, so neither needs the file system and both start the same way from sources and from the build.
 */
export function readSandboxCode(): Promise<SandboxCode> {
  code ??= readAll();
  return code;
}

async function readAll(): Promise<SandboxCode> {
  const folder = new URL('jinja/', import.meta.url);
  const files = (await readdir(folder)).filter((file) => /^[\w-]+\.[jt]s$/.test(file) && file.endsWith(EXTENSION));
  const own = files.map(async (file) => [toJs(file), await readModule(new URL(file, folder))]);
  const shared = SHARED.map(async (name) => [
    `${name}.js`,
    await readModule(new URL(`../${name}${EXTENSION}`, import.meta.url)),
  ]);
  const texts = await Promise.all([...own, ...shared]);
  return {
    thread: await readModule(new URL(`render.thread${EXTENSION}`, import.meta.url)),
    modules: Object.fromEntries(texts) as Record<string, string>,
    quickjsUrl: pathToFileURL(requireHere.resolve('quickjs-emscripten')).href,
  };
}

function toJs(file: string): string {
  return file.replace(/\.ts$/, '.js');
}

async function readModule(url: URL): Promise<string> {
  const text = await readFile(fileURLToPath(url), 'utf8');
  return EXTENSION === '.js' ? text : compile(text);
}

/** Only where the sources are, and there is the compiler too: the build never comes here. */
function compile(source: string): string {
  const { transpileModule, ModuleKind, ScriptTarget } = requireHere('typescript') as typeof TypeScript;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  return transpileModule(source, { compilerOptions }).outputText;
}
