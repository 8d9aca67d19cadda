import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Compiles an extension for EXTENSIONS of the built product into a folder, against that product. */
export function builtExtension(file: string, folder: string): string {
  const source = readFileSync(path.join(ROOT, file), 'utf8');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
  };
  const { outputText } = ts.transpileModule(source, { compilerOptions: options });
  const target = path.join(folder, path.basename(file, '.ts') + '.mjs');
  writeFileSync(target, outputText);
  installServer(folder);
  return target;
}

/**
 * Links the server like `npm install <folder of the server>`, which makes `tracesheet/extension` available in the
 * folder.
 */
export function installServer(folder: string): void {
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(path.join(modules, 'tracesheet'))) symlinkSync(ROOT, path.join(modules, 'tracesheet'), 'dir');
}
