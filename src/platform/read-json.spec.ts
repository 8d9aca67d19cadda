import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFiniteJson, readJson } from './read-json.js';

const LONG = '9007199254740993';
const THIRTY = '123456789012345678901234567890';

describe('readJson', () => {
  it.each<[string, string, unknown]>([
    ['an integer beyond 2^53', LONG, 9007199254740993n],
    ['a negative one', `-${LONG}`, -9007199254740993n],
    ['one of thirty digits in a list in an object', `{"a":[[${THIRTY}]]}`, { a: [[123456789012345678901234567890n]] }],
    ['one beside a text that looks like it', `["${LONG}", ${LONG}]`, [LONG, 9007199254740993n]],
    ['one beside marks that somebody escaped', `["\\u0001\\u00011", ${LONG}]`, ['\u0001\u00011', 9007199254740993n]],
    ['a key of digits', `{"${LONG}":${LONG}}`, { [LONG]: 9007199254740993n }],
    ['an integer that is written with an exponent', '9.007199254740993e15', 9007199254740993n],
    ['an integer of forty digits with an exponent', '12345678901234567891e20', 12345678901234567891n * 10n ** 20n],
    [
      'what more digits stand for as a number, which takes no more room',
      '[9.007199254740993e40, 1e4300]',
      [9.007199254740993e40, Infinity],
    ],
    ['one that is written as a fraction', `${LONG}.0`, 9007199254740993n],
    ['a number with an exponent that is exact', '[6.02e23, -1E+2, 5e-324]', [6.02e23, -100, 5e-324]],
    ['the largest integers that numbers hold', '[9007199254740991, -9007199254740991]', [2 ** 53 - 1, 1 - 2 ** 53]],
    [
      'fractions',
      '[0.1234567890123456789, 1763650000123456789.5]',
      ['0.1234567890123456789', '1763650000123456789.5'].map(Number),
    ],
    ['the key __proto__', `{"__proto__":{"a":${LONG}}}`, JSON.parse('{"__proto__":{"a":0}}', (key, value: unknown) => (key === 'a' ? 9007199254740993n : value))], // prettier-ignore
  ])('reads %s', (_, json, expected) => {
    expect(readJson(json)).toEqual(expected);
  });

  it.each([
    ['leading zeros', '[0009007199254740993]'],
    ['two points', '[1.2.39007199254740993]'],
    ['a bare minus', '[-, 9007199254740993]'],
    ['more digits than anybody can store', `[${'9'.repeat(4301)}]`],
  ])('refuses %s', (_, json) => {
    expect(() => readJson(json)).toThrow(SyntaxError);
  });

  it('reads everything else as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
        const json = JSON.stringify(value, null, 1);
        const plain = JSON.parse(json) as unknown;
        const rounded = (_: string, item: unknown) => (typeof item === 'bigint' ? Number(item) : item);
        expect(JSON.parse(JSON.stringify(readJson(json), rounded))).toEqual(plain);
      }),
      { numRuns: 50 },
    );
  });

  it('is undone by JSON.stringify', () => {
    const integers = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String);
    const json = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, integers, fc.string().map((text) => JSON.stringify(text)), tie('list')), // prettier-ignore
      list: fc.array(tie('value')).map((items) => `[${items.join(',')}]`),
    })).value as fc.Arbitrary<string>;
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.stringify(readJson(text))).toBe(text);
      }),
    );
  });

  it('takes time in proportion to the text, whatever the text', () => {
    const repeated = ['1', '1.', ':1', '1e', '\u0001', `${'1'.repeat(308)}x`];
    for (const text of repeated.map((part) => part.repeat(1e6 / part.length))) {
      const json = JSON.stringify({ text, more: 9007199254740993n });
      expect(readFiniteJson(json)).toEqual({ text, more: 9007199254740993n });
    }
    expect(readJson(`[1${'0'.repeat(1e6)}1.5, ${LONG}]`)).toEqual([Infinity, 9007199254740993n]);
    expect(readJson(`["${'\\u0001'.repeat(1e5)}"${`,${LONG}`.repeat(1e5)}]`)).toHaveLength(100_001);
  });
});
