import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_BUCKETS } from './buckets.js';
import { timeGrid } from './time-grid.js';

const DAY = 86_400_000;
const at = (text: string) => Date.parse(text);

function shown(bucket: 'auto' | 'day' | 'week' | 'month', from: string, to: string): [string, string][] {
  const grid = timeGrid(bucket, { from: at(from), to: at(to) });
  return grid.starts([]).map((start) => [grid.key(start), grid.label(start)]);
}

describe('timeGrid', () => {
  it.each([
    [
      'auto',
      '2026-03-01T12:00:00.5Z',
      '2026-03-01T12:00:01Z',
      ['2026-03-01T12:00:00.000Z', '2026-03-01T12:00:01.000Z'],
    ],
    ['day', '2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', ['2026-02-28', '2026-03-01']],
    ['week', '2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z', ['2026-02-23', '2026-03-02']],
    ['month', '2025-12-31T23:59:59Z', '2026-02-01T00:00:00Z', ['2025-12-01', '2026-01-01', '2026-02-01']],
    ['month', '0099-01-31T00:00:00Z', '0099-03-01T00:00:00Z', ['0099-01-01', '0099-02-01', '0099-03-01']],
    ['week', '1969-12-31T00:00:00Z', '1970-01-01T00:00:00Z', ['1969-12-29']],
    ['day', '2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z', []],
    ['month', '2026-03-02T00:00:00Z', '2026-01-01T00:00:00Z', []],
  ] as const)('by %s from %s to %s', (bucket, from, to, keys) => {
    expect(shown(bucket, from, to).map(([key]) => key)).toEqual(keys);
  });

  it('says what its buckets are', () => {
    expect(shown('day', '2026-03-05T00:00:00Z', '2026-03-05T00:00:00Z')).toEqual([['2026-03-05', 'Mar 5']]);
    expect(shown('week', '2026-03-05T00:00:00Z', '2026-03-05T00:00:00Z')).toEqual([['2026-03-02', 'Week of Mar 2']]);
    expect(shown('month', '2026-03-05T00:00:00Z', '2026-03-05T00:00:00Z')).toEqual([['2026-03-01', 'Mar 2026']]);
  });

  it('covers any range of weeks and months without gaps', () => {
    const moment = fc.integer({ min: at('1900-01-01T00:00:00Z'), max: at('2100-01-01T00:00:00Z') });
    fc.assert(
      fc.property(
        moment,
        fc.integer({ min: 0, max: 4000 * DAY }),
        fc.constantFrom('week', 'month'),
        (from, length, unit) => {
          const starts = timeGrid(unit, { from, to: from + length }).starts([]);
          const longest = unit === 'week' ? 7 * DAY : 31 * DAY;
          expect(from - starts[0]!).toBeGreaterThanOrEqual(0);
          expect(from - starts[0]!).toBeLessThan(longest);
          expect(from + length - starts.at(-1)!).toBeLessThan(longest);
          for (const [index, start] of starts.entries()) {
            const date = new Date(start);
            expect([date.getUTCHours(), unit === 'week' ? date.getUTCDay() : date.getUTCDate()]).toEqual([0, 1]);
            if (index > 0) expect(start - starts[index - 1]!).toBeLessThanOrEqual(longest);
          }
        },
      ),
    );
  });

  it('gives only the occupied buckets of a range that is too long', () => {
    const grid = timeGrid('week', { from: at('0001-01-01T00:00:00Z'), to: at('9999-12-31T00:00:00Z') });
    expect(grid.starts([7 * DAY, 0, 7 * DAY])).toEqual([0, 7 * DAY]);
    const crowd = Array.from({ length: MOST_BUCKETS + 2 }, (_, index) => index);
    expect(grid.starts(crowd)).toEqual(crowd.slice(2));
  });
});
