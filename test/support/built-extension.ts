import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** An extension of the tests as EXTENSIONS of the built product takes it: compiled, against what was built. */
export function builtExtension(file: string, folder: string): string {
  const source = readFileSync(path.join(ROOT, 'test/support', file), 'utf8');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
  };
  const { outputText } = ts.transpileModule(source, { compilerOptions: options });
  const built = pathToFileURL(path.join(ROOT, 'dist')).href;
  const nest = pathToFileURL(path.join(ROOT, 'node_modules/@nestjs/common/index.js')).href;
  const target = path.join(folder, file.replace(/\.ts$/, '.mjs'));
  writeFileSync(
    target,
    outputText.replaceAll("'../../src/", `'${built}/src/`).replaceAll("'@nestjs/common'", `'${nest}'`),
  );
  return target;
}
