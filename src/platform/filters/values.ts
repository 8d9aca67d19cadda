import { scalarText } from '../json-paths.js';
import { safeText } from '../safe-text.js';
import { isoFromMilliseconds, parseTime } from '../time.js';

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const LONGEST_NUMERAL = 400;
const WHOLE_NUMERAL = /^[+-]?\d{1,19}$/;
const INT8_MAX = 2n ** 63n - 1n;
const DAY = /^\d{4}-\d\d-\d\d$/;
/** Digits beyond milliseconds, if only zeros. */
const MICROS = /[.,]\d{4}/;
const DAY_MS = 86_400_000;

/** The first and the last microsecond of a time, as ISO text. */
export interface TimeSpan {
  first: string;
  last: string;
}

/** The text of a scalar, made storable like stored texts; null for anything else. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return safeText(value);
  // The database writes numbers without an exponent.
  if (typeof value === 'number') return scalarText(value);
  return typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : null;
}

/** A finite number from a number or its decimal notation; null for anything else, "NaN" and "0x1f" included. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'boolean') return null;
  const text = toText(value)?.trim();
  if (text === undefined || text.length > LONGEST_NUMERAL || !NUMERAL.test(text)) return null;
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}

/** The canonical text of a whole number that an int8 can hold; null for anything else, rounded numbers included. */
export function toWholeNumber(value: unknown): string | null {
  if (typeof value === 'boolean' || (typeof value === 'number' && !Number.isSafeInteger(value))) return null;
  const text = toText(value)?.trim();
  if (text === undefined || !WHOLE_NUMERAL.test(text)) return null;
  const number = BigInt(text.replace('+', ''));
  return number >= -INT8_MAX && number <= INT8_MAX ? String(number) : null;
}

/**
 * The meaning of a day ("2026-03-01") or a time in any form that clients send; null for anything else. A time without microseconds
 * is its whole millisecond, because clients without microseconds, such as those in JavaScript, truncate times.
 */
export function toTime(value: unknown): TimeSpan | null {
  const start = parseTime(value);
  if (start === null) return null;
  const first = isoFromMilliseconds(start);
  const text = typeof value === 'string' ? value.trim() : '';
  if (DAY.test(text)) return { first, last: endOf(start + DAY_MS - 1) };
  const knowsMicros = !Number.isInteger(start) || MICROS.test(text);
  return { first, last: knowsMicros ? first : endOf(start) };
}

/** The last microsecond of a millisecond. */
const endOf = (milliseconds: number): string => isoFromMilliseconds(milliseconds).replace(/000Z$/, '999Z');
