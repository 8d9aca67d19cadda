import type { JsonObject, JsonValue } from '../../platform/json.js';
import { type Decimal, decimalOf } from '../../platform/decimals.js';
import { isObject } from '../../platform/json.js';
import { parseJson } from '../../platform/sandbox/expressions/json-path.js';
import { CellFailure } from './column-type.js';

/** The text of any value: strings unchanged, null as an empty text, everything else as JSON. */
export function asText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Integers beyond 2^53 are bigints and all other numbers are not, so that equal numbers have the same type. */
export type ExactNumber = number | bigint;

/** The number a value is or whose text it is; null for everything else, booleans and blanks included. */
export function asNumber(value: JsonValue | undefined): ExactNumber | null {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value !== 'string') return null;
  const text = numberText(value);
  if (text === null) return null;
  const number = Number(text);
  if (INTEGER.test(text) && !Number.isSafeInteger(number)) return BigInt(text.replace('+', ''));
  return Number.isFinite(number) ? number : null;
}

function numberText(value: string): string | null {
  const text = value.trim();
  // Longer texts are hardly numbers; the limit also keeps the check fast.
  return text.length <= 400 && NUMBER.test(text) ? text : null;
}

/** Does the same with all digits, for comparisons and arithmetic. */
export function asDecimal(value: JsonValue | undefined): Decimal | null {
  if (typeof value === 'number' || typeof value === 'bigint') return decimalOf(value);
  const text = typeof value === 'string' ? numberText(value) : null;
  return text === null ? null : decimalOf(text);
}

/** Throws a CellFailure that shows the value if it is not a number. */
export function requireDecimal(value: JsonValue | undefined, what: string): Decimal {
  const decimal = asDecimal(value);
  if (decimal) return decimal;
  if (isTooLarge(value)) throw new CellFailure(`${what} is a number that is too large.`);
  throw new CellFailure(`${what} is not a number: ${excerpt(value)}.`);
}

/** JSON allows numbers such as 1e400, which become infinite when they are parsed. */
export const isTooLarge = (value: JsonValue | undefined): boolean =>
  typeof value === 'number' ? !Number.isFinite(value) : typeof value === 'string' && numberText(value) !== null;

/** Throws a CellFailure that shows the value where it is no number. */
export function requireNumber(value: JsonValue | undefined, what: string): ExactNumber {
  const number = asNumber(value);
  if (number === null) throw new CellFailure(`${what} is not a number: ${excerpt(value)}.`);
  return number;
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** The boolean that a value is or that its text stands for; throws a CellFailure that shows the value where it is neither. */
export function requireBoolean(value: JsonValue | undefined, what: string): boolean {
  const truth = typeof value === 'object' ? undefined : BOOLEANS.get(asText(value).trim().toLowerCase());
  if (truth === undefined) throw new CellFailure(`${what} is neither true nor false: ${excerpt(value)}.`);
  return truth;
}

/**
 * The JSON of a value: the value itself, or JSON found in its text as models write it; blank is null. `accepts` selects
 * among several JSON values in a text. Throws an error with words for the reader.
 */
export function asJson(value: JsonValue | undefined, accepts?: (found: JsonValue) => boolean): JsonValue {
  return typeof value === 'string' ? parseJson(value, accepts) : (value ?? null);
}

export const isContainer = (value: JsonValue): boolean => typeof value === 'object' && value !== null;

/** The start of a value for a message. */
export function excerpt(value: JsonValue | undefined): string {
  const text = asText(value);
  if (text === '') return 'it is empty';
  return `"${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

/** JSON with sorted keys: equal for values that differ only in the order of keys. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_, item: JsonValue) => (isObject(item) ? sorted(item) : item));
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
