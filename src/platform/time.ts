/** ISO 8601 in UTC with microseconds, of nanoseconds since the epoch. */
export function isoFromNanoseconds(ns: bigint | string): string {
  const micros = BigInt(ns) / 1000n;
  return isoText(Number(micros / 1000n), Number(micros % 1000n));
}

/** ISO 8601 in UTC with microseconds, of milliseconds since the epoch with a fraction. */
export function isoFromMilliseconds(ms: number): string {
  const whole = Math.floor(ms);
  return isoText(whole, Math.min(999, Math.round((ms - whole) * 1000)));
}

/** Milliseconds from one time to another, to the microsecond: a difference of such large numbers is exact no further. */
export function millisecondsBetween(startMs: number, endMs: number): number {
  return Math.round((endMs - startMs) * 1000) / 1000;
}

/** ISO 8601 with microseconds, which are omitted when they are zero. */
export function shortIso(text: string): string {
  return text.replace(/000Z$/, 'Z');
}

function isoText(milliseconds: number, micros: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`;
}

/** Times outside the years 1 to 9999 are mistakes of units, and cannot be written as ISO 8601 with four digits. */
const EARLIEST_MS = -62_135_596_800_000;
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Numbers up to the first limit are seconds, then milliseconds, microseconds, nanoseconds: each reaches the year 2603. */
const UNITS: [limit: number, perMillisecond: number][] = [
  [2e10, 1e-3],
  [2e13, 1],
  [2e16, 1e3],
  [Infinity, 1e6],
];

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * Milliseconds since the epoch, with a fraction, of a time in any form that clients send: ISO 8601 (without an offset it
 * is UTC), or seconds, milliseconds, microseconds or nanoseconds since the epoch as a number or its digits. null for
 * anything else.
 */
export function parseTime(value: unknown): number | null {
  if (typeof value === 'number' || typeof value === 'bigint') return fromNumber(Number(value));
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return NUMBER.test(text) ? fromNumber(Number(text)) : fromIso(text);
}

function fromNumber(value: number): number | null {
  if (!Number.isFinite(value)) return null;
  const [, perMillisecond] = UNITS.find(([limit]) => Math.abs(value) <= limit)!;
  return inRange(value / perMillisecond);
}

function fromIso(text: string): number | null {
  const match = ISO.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = match;
  const zone = /^z$/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`;
  // Date knows milliseconds only; it refuses days and hours that do not exist.
  const whole = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  const isReal = !Number.isNaN(whole) && Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return isReal ? inRange(whole + Number(`0.${fraction || '0'}`) * 1000) : null;
}

/** Rounded to microseconds, which is what PostgreSQL keeps. */
function inRange(exact: number): number | null {
  const milliseconds = Math.round(exact * 1000) / 1000;
  return milliseconds >= EARLIEST_MS && milliseconds <= LATEST_MS ? milliseconds : null;
}
