import { describe, expect, it } from 'vitest';
import { isoFromNanoseconds, parseTime } from './time.js';

const AT = Date.UTC(2026, 4, 4, 10, 0, 0);

describe('parseTime', () => {
  it.each([
    ['2026-05-04T10:00:00Z', AT],
    ['2026-05-04t10:00:00z', AT],
    ['2026-05-04T10:00:00', AT],
    ['2026-05-04 10:00', AT],
    ['2026-05-04', Date.UTC(2026, 4, 4)],
    ['2026-05-04T12:30:00+02:30', AT],
    ['2026-05-04T08:00:00-0200', AT],
    ['2026-05-04T11:00:00+01', AT],
    ['2026-05-04T10:00:00.123456Z', AT + 123.456],
    ['2026-05-04T10:00:00,5Z', AT + 500],
    ['2026-05-04T10:00:00.1234567891Z', AT + 123.457],
    [' 2026-05-04T10:00:00Z ', AT],
    ['2024-02-29', Date.UTC(2024, 1, 29)],
    [AT / 1000, AT],
    [AT / 1000 + 0.25, AT + 250],
    [AT, AT],
    [AT + 0.125, AT + 0.125],
    [AT * 1e3, AT],
    [AT * 1e6, AT],
    [String(AT), AT],
    ['1777888800.25', 1_777_888_800_250],
    ['1.7778888e9', 1_777_888_800_000],
    [2e10, 2e13],
    [2e10 + 1, 2e10 + 1],
    [0, 0],
    [-1, -1000],
  ])('reads %j', (given, milliseconds) => expect(parseTime(given)).toBe(milliseconds));

  it.each([
    '',
    'now',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29',
    '2026-05-04T25:00:00Z',
    '2026-05-04T10:00:00+99:00',
    '2026-05-04Z',
    '10:00',
    'Infinity',
    '1e400',
    Number.NaN,
    1e300,
    -1e300,
    null,
    undefined,
    true,
    [AT],
    {},
    new Date(AT),
  ])('refuses %j', (given) => expect(parseTime(given)).toBeNull());
});

describe('isoFromNanoseconds', () => {
  it('keeps microseconds', () => {
    expect(isoFromNanoseconds('1777888800123456789')).toBe('2026-05-04T10:00:00.123456Z');
  });
});
