import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Type } from '@nestjs/common';
import { ConfigurationError } from './platform/config/settings.js';

/**
 * The Nest modules that EXTENSIONS names, each the default export of a file or a package.
 * @throws ConfigurationError that lists all that cannot be used
 */
export async function loadExtensions(names: string): Promise<Type[]> {
  const wanted = names.split(',').flatMap((name) => name.trim() || []);
  const loaded = await Promise.allSettled(wanted.map(loadExtension));
  const problems = loaded.flatMap((result, index) =>
    result.status === 'rejected' ? [`EXTENSIONS: ${wanted[index]} ${(result.reason as Error).message}`] : [],
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
  return loaded.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function loadExtension(name: string): Promise<Type> {
  const isFile = name.startsWith('.') || path.isAbsolute(name);
  const exported = (await import(isFile ? pathToFileURL(path.resolve(name)).href : name).catch((error: unknown) => {
    throw new Error(`cannot be loaded: ${(error as Error).message}`);
  })) as { default?: unknown };
  if (typeof exported.default !== 'function') throw new Error('has no Nest module as its default export');
  return exported.default as Type;
}
