import { safeText } from '../safe-text.js';

const NUMERAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const LONGEST_NUMERAL = 400;
const WHOLE_NUMERAL = /^[+-]?\d{1,19}$/;
const INT8_MAX = 2n ** 63n - 1n;
const DAY = /^\d{4}-\d\d-\d\d$/;
const CLOCK = String.raw`((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?`;
const OFFSET = String.raw`(?:z|([+-])([01]\d|2[0-3]):?([0-5]\d)?)?`;
const MOMENT = new RegExp(String.raw`^(\d{4}-\d\d-\d\d)[t ]${CLOCK}\s?${OFFSET}$`, 'i');
/** The years 1 to 9999: the database refuses the year 0, and ISO text writes later years differently. */
const FOUR_DIGIT_YEAR = /^(?!0000)\d{4}-/;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A whole UTC day, or a moment (then both are the same), as ISO text with the microseconds that the database keeps. */
export interface TimeSpan {
  first: string;
  last: string;
}

/** The text of a scalar, made storable as stored texts were; null for anything else. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return safeText(value);
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : null;
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

/** A day ("2026-03-01") or a moment in ISO 8601; without an offset it is UTC. Null for anything else. */
export function toTime(value: unknown): TimeSpan | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (DAY.test(text)) {
    const start = dayStart(text);
    return start === null ? null : spanOf([start, '000000'], [start + DAY_MS - 1, '999999']);
  }
  const moment = MOMENT.exec(text);
  return moment && toMoment(moment);
}

function toMoment([, day, clock, seconds, fraction, sign, hours, minutes]: RegExpExecArray): TimeSpan | null {
  const start = dayStart(day);
  if (start === null) return null;
  const local = start + Date.parse(`1970-01-01T${clock}:${seconds ?? '00'}Z`);
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  const time: [number, string] = [sign === '-' ? local + offset : local - offset, microsOf(fraction)];
  return spanOf(time, time);
}

/** Milliseconds since 1970 of a day's first moment; null when the calendar has no such day. */
function dayStart(day: string): number | null {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day) ? date.getTime() : null;
}

/** Digits beyond microseconds are cut. */
function microsOf(fraction = ''): string {
  return fraction.slice(0, 6).padEnd(6, '0');
}

function spanOf(first: [number, string], last: [number, string]): TimeSpan | null {
  const span = { first: isoText(...first), last: isoText(...last) };
  return FOUR_DIGIT_YEAR.test(span.first) && FOUR_DIGIT_YEAR.test(span.last) ? span : null;
}

function isoText(milliseconds: number, micros: string): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}.${micros}Z`;
}
