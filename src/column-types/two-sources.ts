import type { JsonObject } from '../platform/json.js';

/** Earlier configs named two columns `source1` and `source2` where there is a list now. */
export function listSources({ source1, source2, ...config }: JsonObject): JsonObject {
  const given = [source1, source2].filter((source) => source !== undefined && source !== null);
  return config.sources !== undefined || given.length === 0 ? config : { ...config, sources: given };
}

/** Converts `return_all` of earlier configs, which is the negation of a field now. */
export function isTrue(value: unknown): boolean {
  return value === true || String(value).toLowerCase() === 'true';
}
