import { describe, expect, it } from 'vitest';
import { barsOf } from '../api/histogram';
import { changeOf, dayBefore, grownOf, logsOf, percentileChangeOf, totalsOf } from './day';

const bucket = { start_time: '2026-01-02T03:00:00Z', count: 7, failed: 2, unpriced: 0, cost: 1, input_tokens: 1 };
const histogram = (more: object) =>
  ({ success: true, bucket_seconds: 3600, partial: false, buckets: [], ...more }) as never;

it('compares the last 24 hours with the 24 hours before, up to a full minute', () => {
  expect(dayBefore(Date.parse('2026-01-03T10:20:30.5Z'))).toEqual({
    today: { from: '2026-01-02T10:21:00.000Z', to: '2026-01-03T10:21:00.000Z' },
    yesterday: { from: '2026-01-01T10:21:00.000Z', to: '2026-01-02T10:21:00.000Z' },
  });
});

it('finds the traces that take longer or cost more than those of the same name, the most grown first', () => {
  const many = { count: 100 };
  const before = [
    { ...many, label: 'same', duration: 2, cost: 1 },
    { ...many, label: 'slower', duration: 2, cost: null },
    { ...many, label: 'both', duration: 1, cost: 0.1 },
    { ...many, label: 'free', duration: 5, cost: 0 },
    { ...many, label: 'rare', duration: 1, cost: 1 },
    // Their 95th percentile is known to within a factor of 1.7 only.
    { ...many, label: 'uneven', median: 1, duration: 5, cost: 1 },
  ];
  const now = [
    { ...many, label: 'same', duration: 2.3, cost: 1.1 },
    { ...many, label: 'slower', duration: 3, cost: 0.5 },
    { ...many, label: 'both', duration: 1.3, cost: 0.2 },
    { ...many, label: 'free', duration: 1, cost: 3 },
    { ...many, label: 'new', duration: 9, cost: 9 },
    { label: 'rare', count: 19, duration: 9, cost: 9 },
    { ...many, label: 'uneven', median: 1, duration: 7, cost: 1 },
  ];
  expect(grownOf(now, before).map(({ name, what, now: value }) => [name, what, value])).toEqual([
    ['both', 'dearer', 0.2],
    ['slower', 'slower', 3],
    ['both', 'slower', 1.3],
  ]);
});

describe('how a percentile has changed', () => {
  const day = (count: number, median: number | null, p95: number | null) => ({ count, median, p95 });
  it.each([
    ['median', day(1000, 150, 300), day(1000, 100, 200), '+50 % vs. previous day'],
    // The error of such a median is 4 % with a thousand values, and 25 % with thirty.
    ['median', day(1000, 105, 300), day(1000, 100, 300), 'no clear change'],
    ['median', day(30, 125, 300), day(30, 100, 300), 'no clear change'],
    ['median', day(19, 500, 600), day(1000, 100, 300), 'too few to compare'],
    ['p95', day(1000, 100, 330), day(1000, 100, 300), 'no clear change'],
    ['p95', day(1000, 100, 600), day(1000, 100, 300), '+100 % vs. previous day'],
    ['p95', day(0, null, null), day(1000, 100, 300), null],
  ] as const)('%s: %j after %j', (which, now, before, text) => {
    expect(percentileChangeOf(which, now, before)).toBe(text);
  });
});

describe('how a number has changed', () => {
  it.each([
    [12, 10, '+20 % vs. previous day'],
    [5, 10, '−50 % vs. previous day'],
    [2500, 10, '+24,900 % vs. previous day'],
    [10, 10, 'the same as the day before'],
    [0, 0, 'the same as the day before'],
    [3, 0, 'none the day before'],
    [null, 3, null],
    [3, null, null],
  ])('from %s, before %s', (now, before, text) => {
    expect(changeOf(now, before)).toBe(text);
  });
});

it('knows nothing of a day that was not counted to its end', () => {
  expect(totalsOf(histogram({ buckets: [bucket] }))).toMatchObject({ count: 7 });
  expect(totalsOf(histogram({}))).toMatchObject({ count: 0, latency_p50_ms: null });
  expect(totalsOf(histogram({ buckets: [bucket], partial: true }))).toBeNull();
});

it('draws a bar for each bucket', () => {
  const [bar] = barsOf(histogram({ buckets: [bucket] }));
  expect(bar).toEqual({ from: '2026-01-02T03:00:00Z', to: '2026-01-02T04:00:00.000Z', value: 7, bad: 2 });
});

it('leads to the requests that a number counts', () => {
  const range = { from: 'a', to: 'b', origin: '', env: '' };
  expect(logsOf(range, { status: 'ERROR', conditions: ['engine is x y'] })).toBe(
    '/logs?from=a&to=b&status=ERROR&f=engine+is+x+y',
  );
  expect(logsOf({ ...range, origin: 'all', env: 'eu prod' })).toBe('/logs?from=a&to=b&origin=all&env=eu+prod');
});
