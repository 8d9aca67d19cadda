import type { JsonObject, JsonValue } from '../../platform/json.js';
import { TrackingErrors } from './tracking.errors.js';

/** The longest key, in characters. */
export const METADATA_KEY_LENGTH = 1024;

/** Each is an entry of the search index. */
export const METADATA_MOST_KEYS = 1000;

/** What clients may add to one log in all, as characters of JSON. It is read and written whole with every addition. */
const MOST_ADDED = 1_000_000;

/** Metadata as it is stored: texts as they are, null left out, everything else as JSON text. */
export function toMetadata(given: JsonObject): Record<string, string> {
  const texts = Object.entries(given).flatMap(([key, value]): [string, string][] =>
    value === null ? [] : [[key, textOf(value)]],
  );
  return Object.fromEntries(texts);
}

/** What was added before, with further additions over it. Throws request_metadata_excessive. */
export function mergeMetadata(
  before: Record<string, string> | undefined,
  added: Record<string, string>,
): Record<string, string> {
  const merged = { ...before, ...added };
  if (Object.keys(merged).length > METADATA_MOST_KEYS || JSON.stringify(merged).length > MOST_ADDED) {
    throw TrackingErrors.request_metadata_excessive(METADATA_MOST_KEYS, MOST_ADDED);
  }
  return merged;
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
