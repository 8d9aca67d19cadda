import { describe, expect, it } from 'vitest';
import { describeTime, hasRange, rangeOf, startOf, TIME, timeFilters, toLocalInput } from './time-range';

const NOW = Date.parse('2026-05-28T12:00:00Z');

describe('a time range', () => {
  it.each([
    ['hour', '2026-05-28T11:00:00.000Z', 'Last hour'],
    ['1', '2026-05-27T12:00:00.000Z', 'Last 24 hours'],
    ['90', '2026-02-27T12:00:00.000Z', 'Last 90 days'],
  ])('%s begins at %s', (days, start, title) => {
    expect(startOf({ days }, NOW)).toBe(start);
    expect(describeTime({ ...TIME, days })).toEqual([`the time “${title}”`]);
  });

  it('is nothing where the URL means nothing', () => {
    for (const days of ['', 'toString', '-1', '2']) expect(startOf({ days }, NOW)).toBeNull();
    expect(hasRange({ from: 'x', to: '2026-05-28' })).toBe(false);
    expect(timeFilters({ days: 'odd', from: 'x', to: '' }, 'start', NOW)).toEqual([]);
  });

  it('is a condition on a field, without its end', () => {
    const range = { days: '', from: '2026-05-28T09:00:00Z', to: '2026-05-28T10:00:00Z' };
    expect(timeFilters(range, 'start', NOW)).toEqual([
      { field: 'start', operator: 'between', value: ['2026-05-28T09:00:00Z', '2026-05-28T09:59:59.999999Z'] },
    ]);
  });

  it('is typed in local time', () => {
    const moment = new Date(2026, 4, 8, 9, 5, 3);
    expect(toLocalInput(moment)).toBe('2026-05-08T09:05:03');
    const range = rangeOf('2026-05-08T09:05:03', '2026-05-08T10:00');
    expect(range).toEqual({ from: moment.toISOString(), to: new Date(2026, 4, 8, 10).toISOString() });
    expect(() => rangeOf('2026-05-08T10:00', '2026-05-08T10:00')).toThrow('must be after');
    expect(() => rangeOf('', '2026-05-08T10:00')).toThrow('must be after');
  });
});
