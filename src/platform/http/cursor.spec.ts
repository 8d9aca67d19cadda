import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor, type ListOrder } from './cursor.js';

const LIST: ListOrder = { sort: 'created_at', order: 'desc', filters: { name: 'a', folderId: 3 } };

describe('cursors', () => {
  it('decode to the values they were made of', () => {
    fc.assert(
      fc.property(fc.string(), fc.maxSafeInteger(), (text, number) => {
        const safe = text.replaceAll('\0', '').toWellFormed();
        expect(decodeCursor(LIST, encodeCursor(LIST, [safe, number]), ['text', 'number'])).toEqual([safe, number]);
      }),
    );
  });

  it('carry fractions, moments to the microsecond and missing values', () => {
    const shape = ['float or null', 'moment', 'number'] as const;
    const values = [0.1, '2026-03-01T10:00:00.123456Z', 7];
    expect(decodeCursor(LIST, encodeCursor(LIST, values), shape)).toEqual(values);
    expect(decodeCursor(LIST, encodeCursor(LIST, [null, values[1]!, 7]), shape)).toEqual([null, values[1], 7]);
    const others = [
      [null, null, 7],
      ['0.1', values[1]!, 7],
      [0.1, '2026-02-30T10:00:00.123456Z', 7],
      [0.1, '2026-03-01T10:00:00.123Z', 7],
      [0.1, '0000-03-01T10:00:00.123456Z', 7],
      [0.1, values[1]!, 7.5],
    ];
    for (const wrong of others) expect(() => decodeCursor(LIST, encodeCursor(LIST, wrong), shape)).toThrow(/cursor/);
  });

  it('carry numbers of any size', () => {
    for (const value of [2 ** 53, 2 ** 53 + 2, -(2 ** 60), 1e21, 1e300, 5e-324]) {
      expect(decodeCursor(LIST, encodeCursor(LIST, [value]), ['float'])).toEqual([value]);
    }
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(decodeCursor(LIST, encodeCursor(LIST, [value]), ['float'])).toEqual([value === 0 ? 0 : value]);
      }),
    );
  });

  it('do not depend on the order of filters or on absent filters', () => {
    const cursor = encodeCursor(LIST, [1]);
    const same = { ...LIST, filters: { folderId: 3, tag: undefined, name: 'a' } };
    expect(decodeCursor(same, cursor, ['number'])).toEqual([1]);
  });

  it.each<[string, ListOrder]>([
    ['another sort field', { ...LIST, sort: 'title' }],
    ['another direction', { ...LIST, order: 'asc' }],
    ['other filters', { ...LIST, filters: { name: 'b', folderId: 3 } }],
    ['fewer filters', { ...LIST, filters: { name: 'a' } }],
  ])('are refused with %s', (_, list) => {
    expect(() => decodeCursor(list, encodeCursor(LIST, [1]), ['number'])).toThrow(/cursor/);
  });

  it('refuse any text that was not made here, without any other error', () => {
    const junk = fc.oneof(
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    fc.assert(
      fc.property(junk, (cursor) => {
        expect(() => decodeCursor(LIST, cursor, ['number'])).toThrow(/cursor is not valid/);
      }),
    );
    expect(() => decodeCursor(LIST, encodeCursor(LIST, ['1']), ['number'])).toThrow(/cursor/);
    expect(() => decodeCursor(LIST, encodeCursor(LIST, [1.5]), ['number'])).toThrow(/cursor/);
  });
});
