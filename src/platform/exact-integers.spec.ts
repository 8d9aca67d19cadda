import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteLongIntegers } from './exact-integers.js';

describe('quoteLongIntegers', () => {
  it.each([
    ['a nanosecond time', '{"t":1763650000123456789}', '{"t":"1763650000123456789"}'],
    ['a negative integer', '[-1763650000123456789]', '["-1763650000123456789"]'],
    ['blanks around it', '{"t" : \n 1763650000123456789 , "u":1}', '{"t" : \n "1763650000123456789" , "u":1}'],
    [
      'several in one list',
      '[1763650000123456781,1763650000123456782]',
      '["1763650000123456781","1763650000123456782"]',
    ],
    ['a body that is nothing else', '1763650000123456789', '"1763650000123456789"'],
  ])('quotes %s', (_, json, expected) => {
    expect(quoteLongIntegers(json)).toBe(expected);
  });

  it.each([
    ['an integer that a number holds exactly', '{"t":1763650000123456}'],
    ['a fraction', '[0.1763650000123456789, 1763650000123456789.5]'],
    ['an exponent', '[1763650000123456789e2, 1e-0000000000000000001, 1E+0000000000000000001]'],
    ['digits inside a string', '["1763650000123456789", ": 1763650000123456789,"]'],
    ['digits after an escaped quote', String.raw`["a\": 1763650000123456789"]`],
    ['digits after an escaped backslash in a string', String.raw`["\\\" 1763650000123456789"]`],
    ['digits in a key', '{"1763650000123456789":1}'],
  ])('leaves %s alone', (_, json) => {
    expect(quoteLongIntegers(json)).toBe(json);
  });

  it('never changes anything but unsafe integers', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        const safe = JSON.parse(JSON.stringify(value), (_, entry: unknown) =>
          Number.isInteger(entry) && !Number.isSafeInteger(entry) ? 0.5 : entry,
        ) as unknown;
        expect(JSON.parse(quoteLongIntegers(JSON.stringify(safe, null, 2)))).toEqual(safe);
      }),
    );
  });
});
