import { MAX_DIGITS } from '../../platform/parse-bigints.js';
import { CellFailure } from '../grid/column-type/column-type.js';
import type { ExactNumber } from '../grid/column-type/values.js';

type Comparison = (a: ExactNumber, b: ExactNumber) => boolean;

/** Integers beyond 2^53 are compared by all their digits, with fractions too. */
export const COMPARISONS: Record<'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge', Comparison> = {
  // oxlint-disable-next-line eqeqeq -- 2 ** 60 is equal to the bigint of that value
  eq: (a, b) => a == b,
  // oxlint-disable-next-line eqeqeq -- as above
  ne: (a, b) => a != b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
};

interface Operation {
  integers: (a: bigint, b: bigint) => bigint;
  numbers: (a: number, b: number) => number;
}

/** An operation that is exact as long as both sides are integers, however large. */
export function exactly({ integers, numbers }: Operation): (a: ExactNumber, b: ExactNumber) => ExactNumber {
  return (a, b) => {
    if (isExactInteger(a) && isExactInteger(b)) return narrow(integers(BigInt(a), BigInt(b)));
    return numbers(Number(a), Number(b));
  };
}

const isExactInteger = (value: ExactNumber): boolean => typeof value === 'bigint' || Number.isSafeInteger(value);

const LIMIT = 10n ** BigInt(MAX_DIGITS);

/** A bigint only where a number would round. Throws a CellFailure for what could not be read again. */
function narrow(value: bigint): ExactNumber {
  if (value >= LIMIT || value <= -LIMIT) throw new CellFailure(`The result has more than ${MAX_DIGITS} digits.`);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
