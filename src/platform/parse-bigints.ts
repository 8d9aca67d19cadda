import { outsideStrings } from './exact-integers.js';
import type { JsonValue } from './json.js';

/** Python has the same limit for integers, and the database could not store a hundred thousand digits. */
export const MAX_DIGITS = 4300;

/** With an exponent a few characters stand for thousands of digits. Longer numbers than this are no ids. */
const MAX_SCALED_DIGITS = 40;

/**
 * Numbers that a JavaScript number may not hold have 16 digits or an exponent. The pattern must not match ids in hex.
 */
const MAY_BE_INEXACT = /\d{16}|(?:^|[:,[\s])-?\d[\d.]*[eE]/;
const SHORTEST_INEXACT = 3;
const NUMBER_LIKE = /-?\d[\d.eE+-]*/g;
const JSON_NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses a JSON text like JSON.parse, but integers that a JavaScript number would round become bigints, with an
 * exponent up to 40 digits. JSON.stringify writes them as digits. Fractions are the nearest JavaScript number. Throws
 * SyntaxError, also for numbers of more than 4,300 digits.
 */
export function parseWithBigints(json: string): JsonValue {
  // Most cells are texts, which hold no numbers.
  const mayBeInexact = !json.startsWith('"') && MAY_BE_INEXACT.test(json);
  if (!mayBeInexact) return parse(json);
  const mark = newMark();
  const marked = markIntegers(json, mark);
  if (marked === json) return parse(json);
  const revive = (_: string, value: JsonValue) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  try {
    return parse(marked, revive);
  } catch (error) {
    // The error about the text as it was given names no mark.
    parse(json);
    throw error;
  }
}

/** For texts without a number that would be rounded. */
function parse(json: string, revive?: (key: string, value: JsonValue) => JsonValue): JsonValue {
  // oxlint-disable-next-line no-restricted-properties -- here nothing is rounded
  return JSON.parse(json, revive) as JsonValue;
}

/**
 * Begins the strings that stand for integers. Random for every text: searching the text for a beginning that none of its strings has
 * would take quadratic time, and a long one would be repeated with every integer.
 */
const newMark = (): string => `bigint ${Math.random()}:`;

function markIntegers(json: string, mark: string): string {
  return outsideStrings(json, SHORTEST_INEXACT, (part) =>
    part.replace(NUMBER_LIKE, (token) => {
      const digits = inexactInteger(token);
      return digits === null ? token : `"${mark}${digits}"`;
    }),
  );
}

/** The digits of an integer that JavaScript would round; null for all other tokens. */
function inexactInteger(token: string): string | null {
  if (Number.isSafeInteger(Number(token))) return null;
  const parts = JSON_NUMBER.exec(token);
  if (!parts) return null;
  const [, sign, whole, fraction, exponent] = parts;
  if (fraction === undefined && exponent === undefined) return limited(token, token.length);
  const value = scaled(whole! + (fraction ?? ''), Number(exponent ?? 0) - (fraction?.length ?? 0));
  const length = value.digits.length + value.scale;
  if (value.scale < 0 || length > MAX_SCALED_DIGITS || isFaithful(token, value)) return null;
  return `${sign}${value.digits}${'0'.repeat(value.scale)}`;
}

interface Scaled {
  /** The digits without zeros at either end. */
  digits: string;
  /** Number of zeros after the digits; negative for fractions. */
  scale: number;
}

function scaled(digits: string, scale: number): Scaled {
  const whole = digits.replace(/^0+/, '');
  // Without the lookbehind every zero of a long run would be tried as the first one.
  const significant = whole.replace(/(?<!0)0+$/, '');
  return { digits: significant, scale: significant === '' ? 0 : scale + whole.length - significant.length };
}

/** Whether the nearest JavaScript number is written with the same digits. */
function isFaithful(token: string, value: Scaled): boolean {
  const parts = JSON_NUMBER.exec(String(Number(token)));
  if (!parts) return false;
  const [, , whole, fraction = '', exponent = '0'] = parts;
  const nearest = scaled(whole! + fraction, Number(exponent) - fraction.length);
  return nearest.digits === value.digits && nearest.scale === value.scale;
}

function limited(digits: string, length: number): string {
  if (length > MAX_DIGITS) throw new SyntaxError(`A number of the JSON has more than ${MAX_DIGITS} digits`);
  return digits;
}
