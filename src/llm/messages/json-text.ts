import type { JsonValue } from '../../platform/json.js';
import { readJsonWithin } from '../../platform/read-json.js';
import { mayHoldUnsafeText, safeJson } from '../../platform/safe-text.js';

/** Attributes do not nest more deeply in practice; deeper ones stay text, so that they can be written as JSON again. */
const LIMITS = { depth: 64, containers: 1_000_000 };

/**
 * The value of a JSON text; undefined when it is not JSON or nests too deeply. Its texts are safe to store: the decoder
 * sees an escaped NUL as ordinary characters, and it becomes NUL only here.
 */
export function parseJson(text: string, limits = LIMITS): JsonValue | undefined {
  const value = readJsonWithin(text, limits);
  return value !== undefined && mayHoldUnsafeText(text) ? safeJson(value) : value;
}

/** Like {@link parseJson} for texts that look like a list or an object; every other value is given back as it is. */
export function parseIfJson(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  return parseJson(value) ?? value;
}

/** Text as it is, everything else as JSON. */
export function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The first `length` UTF-16 units of a text, without half a character at the end. */
export function truncate(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
