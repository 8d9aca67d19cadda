import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimalOf,
  divideDecimals,
  multiplyDecimals,
  negated,
  powerOf,
  remainderOf,
  toExactNumber,
  TooManyDigits,
} from '../platform/decimals.js';
import { CellFailure } from '../grid/column-type/column-type.js';
import type { ExactNumber } from '../grid/column-type/values.js';

type Comparison = (a: Decimal, b: Decimal) => boolean;

/** Numbers are compared by all their digits. */
export const COMPARISONS: Record<'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge', Comparison> = {
  eq: (a, b) => compareDecimals(a, b) === 0,
  ne: (a, b) => compareDecimals(a, b) !== 0,
  lt: (a, b) => compareDecimals(a, b) < 0,
  le: (a, b) => compareDecimals(a, b) <= 0,
  gt: (a, b) => compareDecimals(a, b) > 0,
  ge: (a, b) => compareDecimals(a, b) >= 0,
};

export type Operation = (a: Decimal, b: Decimal) => Decimal;

export const minus: Operation = (a, b) => addDecimals(a, negated(b));

/**
 * Exact arithmetic. Only quotients and powers of fractions are rounded, to far more digits than a JavaScript number
 * has.
 */
export const OPERATIONS: Record<'+' | '-' | '*' | '/' | '%' | '**', Operation> = {
  '+': addDecimals,
  '-': minus,
  '*': multiplyDecimals,
  '/': (a, b) => divideDecimals(a, nonZero(b)),
  '%': (a, b) => remainderOf(a, nonZero(b)),
  '**': power,
};

/** Converts the result to a cell value. Throws a CellFailure for a number that a cell cannot hold. */
export function calculated(result: () => Decimal): ExactNumber {
  try {
    const decimal = result();
    const number = toExactNumber(decimal);
    if (decimal.scale > 0 && isRounded(number)) throw new CellFailure('The result is a fraction with too many digits.');
    return number;
  } catch (error) {
    throw error instanceof TooManyDigits ? new CellFailure(error.message) : error;
  }
}

/** A double this large has no fraction, and a non-zero result can round to 0. */
const isRounded = (number: ExactNumber): boolean => number === 0 || Math.abs(Number(number)) >= 2 ** 53;

function power(base: Decimal, exponent: Decimal): Decimal {
  const by = Number(toExactNumber(exponent));
  if (exponent.scale === 0) return by < 0 ? divideDecimals(ONE, nonZero(powerOf(base, -by))) : powerOf(base, by);
  const root = decimalOf(Number(toExactNumber(base)) ** by);
  if (!root) throw new CellFailure('The power has no finite result.');
  return root;
}

const ONE: Decimal = { units: 1n, scale: 0 };

function nonZero(divisor: Decimal): Decimal {
  if (divisor.units === 0n) throw new CellFailure('Division by zero.');
  return divisor;
}
