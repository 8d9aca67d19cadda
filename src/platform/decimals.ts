import { MAX_DIGITS } from './parse-bigints.js';

/** A number with all its digits: `units` times ten to the power of -`scale`. */
export interface Decimal {
  units: bigint;
  /** Never negative, and minimal: numbers are equal when both members are. */
  scale: number;
}

const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/** Digits of a quotient: more than the nearest JavaScript number needs. */
const QUOTIENT_DIGITS = 40;

/** Thrown when a result has more digits than can be stored and read again. */
export class TooManyDigits extends Error {
  constructor() {
    super(`The result has more than ${MAX_DIGITS} digits.`);
  }
}

/** The decimal value of a number: 0.1 is a tenth. Null for other values and for too many digits. */
export function decimalOf(value: number | bigint | string): Decimal | null {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  const parts = NUMBER.exec(String(value).trim());
  if (!parts || (parts[2] === '' && parts[3] === '')) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return { units: 0n, scale: 0 };
  const scale = fraction.length - Number(exponent);
  if (digits.length > MAX_DIGITS || Math.abs(scale) > MAX_DIGITS) return null;
  return reduced(BigInt(`${sign === '-' ? '-' : ''}${digits}`), scale);
}

/** Returns -1, 0 or 1. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b);
  return reduced(left + right, scale);
}

export const negated = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale });

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return reduced(a.units * b.units, a.scale + b.scale);
}

/** Divides to at least 40 significant digits. The divisor must not be 0. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  const more = QUOTIENT_DIGITS + b.units.toString().length;
  return reduced((a.units * 10n ** BigInt(more)) / b.units, a.scale - b.scale + more);
}

/** The remainder of a division, with the sign of the divisor as in Python. The divisor must not be 0. */
export function remainderOf(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b);
  return reduced(((left % right) + right) % right, scale);
}

/** Raises to the power of a whole number that is not negative. Throws TooManyDigits. */
export function powerOf({ units, scale }: Decimal, exponent: number): Decimal {
  if (exponent === 0) return { units: 1n, scale: 0 };
  // Powers of 0 and 1 are the same, and those of -1 only change the sign. Their exponent has no limit.
  if (scale === 0 && units >= -1n && units <= 1n) return { units: exponent % 2 === 0 ? units * units : units, scale };
  // The number of digits is estimated first, because computing them could take long.
  const digits = (units.toString(2).replace('-', '').length - 1) * exponent * Math.LOG10E * Math.LN2;
  if (digits > MAX_DIGITS || scale * exponent > MAX_DIGITS) throw new TooManyDigits();
  return reduced(units ** BigInt(exponent), scale * exponent);
}

/**
 * A whole number with all its digits, as a bigint where a number would round it. A fraction becomes the nearest
 * JavaScript number. Throws TooManyDigits.
 */
export function toExactNumber({ units, scale }: Decimal): number | bigint {
  if (scale > 0) return Number(`${units}e-${scale}`);
  const number = Number(units);
  if (Number.isSafeInteger(number)) return number;
  if (units.toString().length > MAX_DIGITS) throw new TooManyDigits();
  return units;
}

function reduced(units: bigint, scale: number): Decimal {
  if (scale < 0) return { units: units * 10n ** BigInt(-scale), scale: 0 };
  if (units === 0n) return { units, scale: 0 };
  let [left, digits] = [units, scale];
  while (digits > 0 && left % 10n === 0n) [left, digits] = [left / 10n, digits - 1];
  return { units: left, scale: digits };
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  const at = ({ units, scale: own }: Decimal) => (own === scale ? units : units * 10n ** BigInt(scale - own));
  return [at(a), at(b), scale];
}
