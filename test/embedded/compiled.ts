import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const SOURCES = path.resolve(import.meta.dirname, '../../src/embedded');

/**
 * Compiles the launcher's files, each by itself, into a folder, so that a test can run one of them in
 * processes of its own. Gives the folder.
 */
export function compileEmbedded(target: string): string {
  mkdirSync(target, { recursive: true });
  writeFileSync(path.join(target, 'package.json'), '{"type":"module"}');
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true };
  for (const name of readdirSync(SOURCES).filter((file) => file.endsWith('.ts'))) {
    const source = readFileSync(path.join(SOURCES, name), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions });
    writeFileSync(path.join(target, name.replace(/\.ts$/, '.js')), outputText);
  }
  return target;
}
