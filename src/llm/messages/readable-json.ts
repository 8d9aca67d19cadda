import type { JsonValue } from '../../platform/json.js';
import { endOfString } from '../../platform/json-limits.js';
import { safeText } from '../../platform/safe-text.js';
import { readJson } from '../../platform/read-json.js';

const LOOKS_LIKE_JSON = /^\s*[[{"]/;
/** Beginning of a JSON string that itself holds JSON. */
const HOLDS_JSON = /^"\s*(?:[[{]|\\")/;
const ESCAPE = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\./gis;
/** Deepest level of JSON inside JSON that is made readable. */
const MOST_LEVELS = 4;

/**
 * Makes JSON in a text readable: many encoders write all characters but ASCII as `\uXXXX`. The result is the same JSON;
 * other texts are returned unchanged. JSON that was cut off is read as far as it goes.
 */
export function readableJson(text: string, levels = MOST_LEVELS): string {
  if (!text.includes('\\u') || !LOOKS_LIKE_JSON.test(text)) return text;
  const pieces: string[] = [];
  let at = 0;
  for (let open = text.indexOf('"'); open >= 0; open = text.indexOf('"', at)) {
    const end = endOfString(text, open) + 1;
    pieces.push(text.slice(at, open), readableString(text.slice(open, end), levels));
    at = end;
  }
  pieces.push(text.slice(at));
  return pieces.join('');
}

/** Every text in a value, made readable. */
export function readableTexts<T extends JsonValue>(value: T): T {
  if (typeof value === 'string') return readableJson(value) as T;
  if (Array.isArray(value)) return value.map(readableTexts) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, readableTexts(inner!)])) as T;
}

/** A string with its quotes. */
function readableString(string: string, levels: number): string {
  if (!string.includes('\\u')) return string;
  if (levels > 1 && HOLDS_JSON.test(string)) {
    try {
      const inner = readJson(string) as string;
      const readable = readableJson(inner, levels - 1);
      if (readable !== inner) return JSON.stringify(readable);
    } catch {
      // It was cut off.
    }
  }
  return string.replace(ESCAPE, unescaped);
}

function unescaped(escape: string, high?: string, low?: string, single?: string): string {
  if (high !== undefined && low !== undefined) return String.fromCharCode(parseInt(high, 16), parseInt(low, 16));
  if (single === undefined) return escape;
  const character = String.fromCharCode(parseInt(single, 16));
  // Quotes, backslashes and control characters must stay escaped; half a character cannot be stored.
  return character < ' ' || character === '"' || character === '\\' || safeText(character) !== character
    ? escape
    : character;
}
