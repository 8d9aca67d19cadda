import { describe, expect, it } from 'vitest';
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
} from './decimals.js';

const of = (value: number | bigint | string): Decimal => decimalOf(value)!;

/** Whole numbers from -2^40 to 2^40, the same ones every time. */
function wholeNumbers(count: number): bigint[] {
  let state = 12_345n;
  return Array.from({ length: count }, () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return (state >> 23n) - 2n ** 40n;
  });
}

describe('decimals', () => {
  it.each([
    [0.1, 1n, 1],
    ['1.50', 15n, 1],
    ['-.5', -5n, 1],
    ['5.', 5n, 0],
    [1e21, 10n ** 21n, 0],
    [5e-324, 5n, 324],
    ['1E400', 10n ** 400n, 0],
    [-0, 0n, 0],
    [7n, 7n, 0],
  ])('%s is written as %d to the scale %d', (value, units, scale) => {
    expect(decimalOf(value)).toEqual({ units, scale });
  });

  it.each(['', '.', '1e', 'a', '1e99999', Infinity, NaN])('%s is none', (value) => {
    expect(decimalOf(value)).toBeNull();
  });

  it('calculate in hundredths what bigints calculate in whole numbers', () => {
    const numbers = wholeNumbers(60);
    for (const [at, a] of numbers.entries()) {
      const b = numbers[(at * 7 + 3) % numbers.length]! || 1n;
      const [left, right] = [a, b].map((units) => multiplyDecimals(of(units), of('0.01')));
      const hundredths = (units: bigint) => multiplyDecimals(of(units), of('0.01'));
      expect(addDecimals(left!, right!)).toEqual(hundredths(a + b));
      expect(multiplyDecimals(left!, right!)).toEqual(multiplyDecimals(of(a * b), of('0.0001')));
      expect(remainderOf(left!, right!)).toEqual(hundredths(((a % b) + b) % b));
      expect(compareDecimals(left!, right!)).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(divideDecimals(multiplyDecimals(left!, right!), right!)).toEqual(left);
      expect(powerOf(left!, 3)).toEqual(multiplyDecimals(multiplyDecimals(left!, left!), left!));
      expect(addDecimals(left!, negated(left!))).toEqual(of(0));
    }
  });

  it('keep every number', () => {
    for (const number of [0.1, -2.5e-7, 1 / 3, 123_456.789, Number.MIN_VALUE, 2 ** 53 - 1]) {
      expect(toExactNumber(of(number))).toBe(number);
    }
    expect(toExactNumber(of(2n ** 60n))).toBe(2n ** 60n);
  });
});
