import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeySequence } from './key-sequence.js';
import { storedOrder } from './stored-order.js';

const key = fc.oneof(fc.constantFrom('', 'b', 'a', 'aa', 'é', '\u{1f600}', '__proto__'), fc.string({ maxLength: 3 }));

describe('storedOrder', () => {
  it('sorts keys by length, then byte by byte', () => {
    const given = KeySequence.of(['zz', 'é', 'b', 'abc', 'az', 'a', '']);
    const before = storedOrder(given).map((key) => Buffer.from(key.before).toString());
    expect(before.join('1')).toBe('{"":1,"a":1,"b":1,"az":1,"zz":1,"é":1,"abc":');
  });

  it('has every key once, at its last position', () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 12 }), (names) => {
        const ordered = storedOrder(KeySequence.of(names)).map(({ before, place }) => ({
          name: JSON.parse(Buffer.from(before).toString().slice(1, -1)) as string,
          place,
        }));
        expect(ordered.map(({ name }) => name).toSorted()).toEqual([...new Set(names)].toSorted());
        for (const { name, place } of ordered) expect(place).toBe(names.lastIndexOf(name));
      }),
    );
  });
});
