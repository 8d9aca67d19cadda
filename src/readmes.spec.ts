import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'console'];
/** A file by its name, or a folder that ends with a slash. */
const PATH = /^[\w.-]+(?:\/[\w.-]+)*(?:\.(?:ts|tsx|mjs|cjs|py|json|md)|\/)$/;

const domains = [...readFileSync(path.join(ROOT, 'src/domains.ts'), 'utf8').matchAll(/'\.\/([\w-]+)\/manifest\.js'/g)];
const readmes = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'README.md' && !name.includes('node_modules'))
    .map((name) => path.join(folder, name)),
);

/** Names in backticks that are neither below the folder of the document nor below the root. */
function missingFiles(document: string): string[] {
  const text = readFileSync(path.join(ROOT, document), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const names = [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!).filter((name) => PATH.test(name));
  const bases = [path.join(ROOT, path.dirname(document)), ROOT];
  return names.filter((name) => !bases.some((base) => existsSync(path.join(base, name))));
}

describe('README.md', () => {
  it.each(['platform', ...domains.map(([, name]) => name!)])('exists in the folder of %s', (name) => {
    expect(readmes).toContain(`src/${name}/README.md`);
  });

  it.each(['ARCHITECTURE.md', ...readmes])('names only files that exist: %s', (document) => {
    expect(missingFiles(document)).toEqual([]);
  });
});
