import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type TypeScript from 'typescript';

const requireHere = createRequire(import.meta.url);
const programs = new Map<string, Promise<string>>();

/**
 * Where Node can import a program of ours, given without its extension. Compiled, that is the file. Tests run the
 * sources, which Node does not read: it gets them compiled, as one address that holds the text of all modules.
 */
export function programUrl(program: URL): Promise<string> {
  if (import.meta.url.endsWith('.js')) return Promise.resolve(`${program.href}.js`);
  let url = programs.get(program.href);
  if (!url) programs.set(program.href, (url = inlined(new URL(`${program.href}.ts`))));
  return url;
}

const IMPORT = /\bfrom (['"])([^'"]+)\1/g;

async function inlined(file: URL): Promise<string> {
  const { transpileModule, ModuleKind, ScriptTarget } = requireHere('typescript') as typeof TypeScript;
  const compilerOptions = { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 };
  const source = await readFile(fileURLToPath(file), 'utf8');
  let text = transpileModule(source, { compilerOptions }).outputText;
  for (const name of new Set([...text.matchAll(IMPORT)].map((match) => match[2]!))) {
    const url = await addressOf(name, file);
    text = text.replaceAll(`from '${name}'`, `from '${url}'`).replaceAll(`from "${name}"`, `from '${url}'`);
  }
  return `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
}

async function addressOf(name: string, from: URL): Promise<string> {
  if (name.startsWith('node:')) return name;
  if (!name.startsWith('.')) return pathToFileURL(requireHere.resolve(name)).href;
  return inlined(new URL(name.replace(/\.js$/, '.ts'), from));
}
