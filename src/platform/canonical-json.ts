import type { JsonValue } from './json.js';

/**
 * JSON as Python's `json.dumps(value, sort_keys=True)` writes it, byte for byte: keys sorted by code point, ", " and
 * ": " between things, ASCII only. Receivers verify signatures by writing the payload again.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return numeral(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(', ')}]`;
  if (value === null || typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => byCodePoint(a, b));
  return `{${entries.map(([key, item]) => `${quote(key)}: ${canonicalJson(item)}`).join(', ')}}`;
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Python changes to exponents below 0.0001, JavaScript below 0.000001, and Python's have two digits. */
function numeral(value: number): string {
  const isTiny = value !== 0 && Math.abs(value) < 1e-4;
  return isTiny ? value.toExponential().replace(/-(\d)$/, '-0$1') : String(value);
}

/** Below this character the order of UTF-16 is that of code points. */
const HIGH = /[\ud800-\uffff]/;

/** Compares by code point. UTF-16 sorts characters beyond the basic plane before some within it. */
function byCodePoint(a: string, b: string): number {
  if (!HIGH.test(a) && !HIGH.test(b)) return a < b ? -1 : Number(a > b);
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
