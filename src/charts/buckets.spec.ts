import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketKey, bucketLabel, bucketSizeFor, bucketStart, bucketStarts, MOST_BUCKETS } from './buckets.js';

const NOON = Date.UTC(2026, 2, 15, 12);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const sizeOver = (ms: number) => bucketSizeFor(NOON, NOON + ms);

describe('bucketSizeFor', () => {
  it.each([
    ['one moment', 0, 'second', SECOND, null],
    ['100 seconds less a little', 99.999 * SECOND, 'second', SECOND, null],
    ['100 seconds, which touch 101', 100 * SECOND, 'second', 5 * SECOND, null],
    ['ten minutes', 10 * MINUTE, 'second', 15 * SECOND, null],
    ['half an hour', 30 * MINUTE, 'second', 30 * SECOND, null],
    ['an hour', HOUR, 'minute', MINUTE, 1],
    ['eight hours', 8 * HOUR, 'minute', 5 * MINUTE, 5],
    ['a day', DAY - 1, 'minute', 15 * MINUTE, 15],
    ['two days', 2 * DAY, 'minute', 30 * MINUTE, 30],
    ['four days', 4 * DAY, 'hour', HOUR, null],
    ['a week', 7 * DAY, 'hour', 3 * HOUR, null],
    ['three weeks', 21 * DAY, 'hour', 6 * HOUR, null],
    ['a month', 30 * DAY, 'hour', 12 * HOUR, null],
    ['a quarter', 91 * DAY, 'day', DAY, null],
    ['ten years', 3653 * DAY, 'day', DAY, null],
  ] as const)('for %s', (_, range, unit, ms, minutes) => {
    expect(sizeOver(range)).toEqual({ unit, ms, minutes });
  });

  it('takes one bucket for a range that ends before it begins', () => {
    expect(bucketSizeFor(NOON, NOON - DAY)).toEqual({ unit: 'second', ms: SECOND, minutes: null });
    expect(bucketStarts(NOON, NOON - DAY, sizeOver(0))).toEqual([]);
  });
});

describe('bucketStarts', () => {
  it('begins at round times in UTC and holds both ends', () => {
    const size = sizeOver(4 * DAY);
    expect(bucketStarts(NOON - 1, NOON + 2 * HOUR, size)).toEqual([NOON - HOUR, NOON, NOON + HOUR, NOON + 2 * HOUR]);
  });

  it('gives every day of ten years', () => {
    const range = 3652 * DAY;
    expect(bucketStarts(NOON, NOON + range, sizeOver(range))).toHaveLength(3653);
  });

  it('gives only the occupied buckets of a range longer than that, the newest when there are too many', () => {
    const size = sizeOver(DAY * 365);
    expect(bucketStarts(0, NOON, size, [3 * DAY, 0, 3 * DAY])).toEqual([0, 3 * DAY]);
    const crowd = Array.from({ length: MOST_BUCKETS + 5 }, (_, index) => index * DAY);
    expect(bucketStarts(0, NOON, size, crowd)).toEqual(crowd.slice(5));
  });

  it('covers any range without gaps, overlaps or more than 100 buckets below days', () => {
    const moment = fc.integer({ min: -8.64e15, max: 8.64e15 });
    fc.assert(
      fc.property(moment, fc.integer({ min: 0, max: 200 * DAY }), (from, length) => {
        const to = Math.min(8.64e15, from + length);
        const size = bucketSizeFor(from, to);
        const starts = bucketStarts(from, to, size);
        expect(starts[0]).toBe(bucketStart(from, size));
        expect(starts.at(-1)).toBe(bucketStart(to, size));
        expect(starts.every((start, index) => index === 0 || start - starts[index - 1]! === size.ms)).toBe(true);
        expect(starts.every((start) => start % size.ms === 0)).toBe(true);
        if (size.unit !== 'day') expect(starts.length).toBeLessThanOrEqual(100);
        expect(new Set(starts.map((start) => bucketKey(start, size))).size).toBe(starts.length);
      }),
    );
  });

  it('stays within what a date can hold', () => {
    const size = sizeOver(DAY * 365);
    const far = bucketStarts(1e300, 1e300, size);
    expect(far.map((start) => bucketKey(start, size))).toEqual(['+275760-09-13']);
  });
});

describe('names of buckets', () => {
  const at = Date.UTC(2026, 2, 5, 4, 5, 6);

  it.each([
    [DAY * 365, '2026-03-05', 'Mar 5'],
    [DAY * 4, '2026-03-05T04:00:00.000Z', 'Mar 5, 04:00'],
    [HOUR, '2026-03-05T04:05:00.000Z', 'Mar 5, 04:05'],
    [0, '2026-03-05T04:05:06.000Z', 'Mar 5, 04:05:06'],
  ])('over %d ms', (range, key, label) => {
    const size = sizeOver(range);
    const start = bucketStart(at, size);
    expect([bucketKey(start, size), bucketLabel(start, size)]).toEqual([key, label]);
  });
});
