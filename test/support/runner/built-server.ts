import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Plugin } from 'vite';
import { ROOT } from './costs.js';

const COMPILED = ['src', 'migrations'].map((folder) => path.join(ROOT, folder) + path.sep);

/** Files that Node loads by itself. */
export const BUILT = new RegExp(`^${path.join(ROOT, 'dist')}/`);

/**
 * Gives tests the server that was built where they import its sources. Node loads it in a third of the time that it takes to
 * compile each file for each process once more, and the tests see what users run. `npm test` builds before it runs.
 */
export function builtServer(): Plugin {
  return {
    name: 'built-server',
    enforce: 'pre',
    async resolveId(id, importer, options) {
      if (id === 'tracesheet/extension') return builtFile(path.join(ROOT, 'src/extension.ts'));
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      return (resolved && builtFile(resolved.id)) ?? resolved;
    },
  };
}

/** Null for what is not compiled: tests, and what only tests use. */
function builtFile(file: string): string | null {
  if (!COMPILED.some((folder) => file.startsWith(folder))) return null;
  const built = path.join(ROOT, 'dist', path.relative(ROOT, file)).replace(/\.ts$/, '.js');
  return existsSync(built) ? built : null;
}
