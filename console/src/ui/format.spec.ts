import { describe, expect, it } from 'vitest';
import { costOf, count, counted, dollars, duration, exact, microseconds, moment, oneLine, period } from './format';

describe('duration', () => {
  it.each([
    [null, '–'],
    [0, '0 ms'],
    [0.412, '412 µs'],
    [38.2, '38 ms'],
    [999.4, '999 ms'],
    [999.6, '1.00 s'],
    [1240, '1.24 s'],
    [9996, '10.0 s'],
    [59_990, '60.0 s'],
    [59_996, '1 m 00 s'],
    [185_000, '3 m 05 s'],
    [7_620_000, '2 h 07 m'],
  ])('writes %s ms as %s', (ms, text) => expect(duration(ms)).toBe(text));
});

describe('money', () => {
  it.each([
    [null, 'no price'],
    [0, '$0'],
    [0.0000001, '< $0.000001'],
    [0.00012, '$0.00012'],
    [0.25, '$0.25'],
    [0.1234, '$0.1234'],
    [1234.5, '$1,234.50'],
  ])('%s is %s', (value, text) => expect(dollars(value)).toBe(text));

  it('says when calls are missing from a sum', () => {
    expect(costOf(0.5, 0)).toBe('$0.50');
    expect(costOf(0.5, null)).toBe('$0.50');
    expect(costOf(0.5, 2)).toBe('at least $0.50');
    expect(costOf(0, 2)).toBe('no price');
  });
});

describe('times', () => {
  const now = new Date(2026, 4, 28, 12);
  it('name the day only where it is another', () => {
    expect(moment(new Date(2026, 4, 28, 9, 5, 7).toISOString(), now)).toBe('09:05:07');
    expect(moment(new Date(2026, 4, 27, 9, 5, 7).toISOString(), now)).toBe('27 May 09:05');
    expect(moment(new Date(2025, 11, 1, 23, 59).toISOString(), now)).toBe('1 Dec 2025 23:59');
  });

  it('have a beginning and an end', () => {
    const at = (day: number, hour: number, second = 0) => new Date(2026, 4, day, hour, 0, second).toISOString();
    expect(period(at(28, 9), at(28, 10), now)).toBe('09:00 – 10:00');
    expect(period(at(27, 9), at(27, 10), now)).toBe('27 May 09:00 – 10:00');
    expect(period(at(27, 23), at(28, 0), now)).toBe('27 May 23:00 – today 00:00');
    expect(period(at(26, 0), at(27, 0), now)).toBe('26 May 00:00 – 27 May 00:00');
    expect(period(at(27, 9), at(27, 9, 15), now)).toBe('27 May 09:00:00 – 09:00:15');
    expect(period(at(27, 9), at(27, 9), now)).toBe('27 May 09:00');
  });

  it('keep their microseconds', () => {
    const base = Date.parse('2026-05-28T20:26:40Z') * 1000;
    expect(microseconds('2026-05-28T20:26:40.000001Z')).toBe(base + 1);
    expect(microseconds('2026-05-28T20:26:40Z')).toBe(base);
    expect(microseconds('2026-05-28T20:26:40.5Z')).toBe(base + 500_000);
    expect(microseconds('1969-12-31T23:59:59.999999Z')).toBe(-1);
  });
});

it.each([
  ['2026-05-28T20:26:40Z', '2026-05-28 20:26:40 UTC'],
  ['2026-05-28T20:26:40.000000Z', '2026-05-28 20:26:40 UTC'],
  ['2026-05-28T20:26:40.250000Z', '2026-05-28 20:26:40.25 UTC'],
  ['2026-05-28T20:26:40.123456Z', '2026-05-28 20:26:40.123456 UTC'],
])('shows %s with all its digits', (iso, text) => expect(exact(iso)).toBe(text));

it('counts with separators and lists in one line', () => {
  expect([count(1234567), count(null)]).toEqual(['1,234,567', '–']);
  expect([counted(1, 'row'), counted(1200, 'row', '+')]).toEqual(['1 row', '1,200+ rows']);
  expect(oneLine(' a\n\n b\tc ')).toBe('a b c');
});
