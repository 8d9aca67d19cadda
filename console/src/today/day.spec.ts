import { describe, expect, it } from 'vitest';
import { barsOf } from '../api/histogram';
import { changeOf, dayBefore, grownOf, logsOf, totalsOf } from './day';

const bucket = { start_time: '2026-01-02T03:00:00Z', count: 7, failed: 2, unpriced: 0, cost: 1, input_tokens: 1 };
const histogram = (more: object) =>
  ({ success: true, bucket_seconds: 3600, partial: false, buckets: [], ...more }) as never;

it('compares the last 24 hours with the 24 hours before, up to a full minute', () => {
  expect(dayBefore(Date.parse('2026-01-03T10:20:30.5Z'))).toEqual({
    today: { from: '2026-01-02T10:20:00.000Z', to: '2026-01-03T10:20:00.000Z' },
    yesterday: { from: '2026-01-01T10:20:00.000Z', to: '2026-01-02T10:20:00.000Z' },
  });
});

it('finds the traces that take longer or cost more than those of the same name, the most grown first', () => {
  const before = [
    { label: 'same', duration: 2, cost: 1 },
    { label: 'slower', duration: 2, cost: null },
    { label: 'both', duration: 1, cost: 0.1 },
    { label: 'free', duration: 5, cost: 0 },
  ];
  const now = [
    { label: 'same', duration: 2.3, cost: 1.1 },
    { label: 'slower', duration: 3, cost: 0.5 },
    { label: 'both', duration: 1.3, cost: 0.2 },
    { label: 'free', duration: 1, cost: 3 },
    { label: 'new', duration: 9, cost: 9 },
  ];
  expect(grownOf(now, before).map(({ name, what, now: value }) => [name, what, value])).toEqual([
    ['both', 'dearer', 0.2],
    ['slower', 'slower', 3],
    ['both', 'slower', 1.3],
  ]);
});

describe('how a number has changed', () => {
  it.each([
    [12, 10, '+20 % against the day before'],
    [5, 10, '−50 % against the day before'],
    [2500, 10, '+24,900 % against the day before'],
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
  const range = { from: 'a', to: 'b' };
  expect(logsOf(range, { status: 'ERROR', conditions: ['engine is x y'] })).toBe(
    '/logs?from=a&to=b&status=ERROR&f=engine+is+x+y',
  );
});
