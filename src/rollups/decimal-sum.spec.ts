import { expect, it } from 'vitest';
import { DecimalSum } from './decimal-sum.js';

it.each([
  [[], 0],
  [['0.1', '0.2'], 0.3],
  [Array<string>(10).fill('0.1'), 1],
  [['1000000000000000', '0.0000000001', '-1000000000000000'], 1e-10],
  [['-0.5', '0.25'], -0.25],
  [['7', '0.000', '0.12345678901234567890'], Number('7.12345678901234567890')],
  [['0.00000000000000000001'], 1e-20],
])('adds %j without rounding', (decimals, expected) => {
  const sum = new DecimalSum();
  for (const decimal of decimals) sum.add(decimal);
  expect(sum.toNumber()).toBe(expected);
});
