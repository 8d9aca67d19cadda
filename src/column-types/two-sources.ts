import type { JsonObject } from '../platform/json.js';

/** Earlier configs named two columns `source1` and `source2` where there is a list now. */
export function listSources({ source1, source2, ...config }: JsonObject): JsonObject {
  const given = [source1, source2].filter((source) => source !== undefined && source !== null);
  return config.sources !== undefined || given.length === 0 ? config : { ...config, sources: given };
}

/** Earlier configs said `return_all` where they now say the opposite under another name. */
export function isTrue(value: unknown): boolean {
  return value === true || String(value).toLowerCase() === 'true';
}
