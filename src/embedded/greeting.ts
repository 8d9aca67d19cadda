import type { LaunchOptions } from './launch-options.js';

/** The addresses of the product, printed when it is ready. */
export function describeReady({ port, hasConsole }: Pick<LaunchOptions, 'port' | 'hasConsole'>): string {
  const url = `http://localhost:${port}`;
  const console = hasConsole ? `  Console      ${url}/console/   (sign in with an API key)\n` : '';
  return `
${console}  API          ${url}
  Swagger UI   ${url}/docs
`;
}

/**
 * How to use the key that was just created. A key that the environment chose is not repeated:
 * its owner has it, and the output of containers is kept.
 */
export function describeNewKey(key: string, { port, presetKey }: Pick<LaunchOptions, 'port' | 'presetKey'>): string {
  const chosen = key === presetKey;
  const heading = chosen
    ? '  API key      the one in BOOTSTRAP_API_KEY'
    : `  API key      ${key}   (shown only this once; keep it)`;
  const header = chosen ? '"X-API-KEY: $BOOTSTRAP_API_KEY"' : `'X-API-KEY: ${key}'`;
  return `${heading}

  Try it:
  curl -H ${header} 'http://localhost:${port}/api/public/v2/tables'
`;
}
