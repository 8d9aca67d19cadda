import type { JsonObject, JsonValue } from '../../platform/json.js';

/** The longest key, in characters. */
export const METADATA_KEY_LENGTH = 1024;

/** Each is an entry of the search index. */
export const METADATA_MOST_KEYS = 1000;

/** Metadata as it is stored: texts as they are, null left out, everything else as JSON text. */
export function toMetadata(given: JsonObject): Record<string, string> {
  const texts = Object.entries(given).flatMap(([key, value]): [string, string][] =>
    value === null ? [] : [[key, textOf(value)]],
  );
  return Object.fromEntries(texts);
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
