import type { JsonValue } from './json.js';
import { fitsJsonLimits, type JsonLimits } from './json-limits.js';
import { parseWithBigints } from './parse-bigints.js';
import { writeBigints } from './write-bigints.js';

// Readers of bigints can also write them.
writeBigints();

/**
 * The reader of all JSON that is stored or compared. Integers beyond 2^53 are bigints, which JSON.stringify writes as
 * digits. The type is not checked: the server itself has written the JSON.
 */
export function readJson<T = JsonValue>(json: string): T {
  return parseWithBigints(json) as T;
}

/** The same for any text: undefined for invalid JSON. */
export function tryReadJson(text: string): JsonValue | undefined {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The same for any text: undefined for invalid JSON, or beyond the limits. */
export function readJsonWithin(text: string, limits: JsonLimits): JsonValue | undefined {
  return fitsJsonLimits(text, limits) ? tryReadJson(text) : undefined;
}

/** Numbers that may become infinite: with an exponent of three digits, or as many digits as the largest number has. */
const MAY_OVERFLOW = /\d[eE]\+?\d{3}|(?<!\d)\d{309}/;

/** The same for values that are stored. Throws SyntaxError for infinite numbers, which would be stored as null. */
export function readFiniteJson(json: string): JsonValue {
  const value = readJson(json);
  if (overflows(json, value)) throw new SyntaxError('it has a number that is too large');
  return value;
}

/** Whether a number of a JSON text, such as 1e400, became infinite when it was parsed. */
export const overflows = (json: string, value: JsonValue): boolean => MAY_OVERFLOW.test(json) && holdsInfinity(value);

function holdsInfinity(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsInfinity);
}
