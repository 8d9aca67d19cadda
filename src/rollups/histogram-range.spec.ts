import { describe, expect, it } from 'vitest';
import { around, HOUR, widthFor, wholeHours } from './histogram-range.js';

const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n;
const range = (from: string, to: string) => ({ from: at(from), to: at(to) });
const hours = (from: number, to: number) => ({ from: BigInt(from) * HOUR, to: BigInt(to) * HOUR });
const SECOND = 1_000_000n;
const DAY = 24n * HOUR;

describe('the width of buckets', () => {
  it.each([
    ['a microsecond', { from: 0n, to: 1n }, 100, SECOND],
    ['100 seconds', range('2026-03-01T00:00:00Z', '2026-03-01T00:01:40Z'), 100, SECOND],
    ['101 seconds', range('2026-03-01T00:00:00Z', '2026-03-01T00:01:41Z'), 100, 5n * SECOND],
    ['six hours', range('2026-03-01T00:00:00Z', '2026-03-01T06:00:00Z'), 100, 300n * SECOND],
    ['more than six hours', range('2026-03-01T00:00:00Z', '2026-03-01T06:00:01Z'), 100, HOUR],
    ['a week', range('2026-03-01T00:00:00Z', '2026-03-08T00:00:00Z'), 100, 3n * HOUR],
    ['a week that begins within three hours', range('2026-03-01T00:30:00Z', '2026-03-08T00:30:00Z'), 57, 3n * HOUR],
    ['the same with one bucket fewer', range('2026-03-01T00:30:00Z', '2026-03-08T00:30:00Z'), 56, 6n * HOUR],
    ['a hundred years', range('1970-01-01T00:00:00Z', '2070-01-01T00:00:00Z'), 100, 500n * DAY],
    ['all years there are', range('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z'), 100, 50_000n * DAY],
    ['before 1970', range('1960-01-01T00:00:00Z', '1960-01-01T00:00:30Z'), 100, SECOND],
  ])('for %s', (_, time, most, expected) => {
    expect(widthFor(time, most)).toBe(expected);
  });
});

describe('what is not in whole hours', () => {
  it.each([
    ['an hour', hours(1, 2), [], []],
    [
      'the ends',
      { from: HOUR / 2n, to: HOUR * 5n - 1n },
      [],
      [
        { from: HOUR / 2n, to: HOUR },
        { from: HOUR * 4n, to: HOUR * 5n - 1n },
      ],
    ],
    ['less than an hour', { from: 5n, to: HOUR }, [], [{ from: 5n, to: HOUR }]],
    ['two hours that adjoin', hours(0, 9), [4n, 3n], [hours(3, 5)]],
    ['the first and the last', hours(0, 9), [8n, 0n], [hours(0, 1), hours(8, 9)]],
    ['what adjoins the ends', { from: HOUR / 2n, to: HOUR * 9n }, [1n], [{ from: HOUR / 2n, to: HOUR * 2n }]],
    ['all before 1970', hours(-3, -1), [-3n], [hours(-3, -2)]],
  ])('is %s', (_, time, missing, expected) => {
    const whole = wholeHours(time);
    expect(
      around(
        time,
        whole,
        missing.map((hour) => hour * HOUR),
      ),
    ).toEqual(expected);
  });
});
