import { describe, expect, it } from 'vitest';
import { barsOf, DEFAULTS, describeBars, listOf, METRICS, toBreakdown, toHistogram } from './trend-state';

const NOW = Date.parse('2026-05-28T12:00:00Z');
const OF_APPLICATIONS = { field: 'origin', operator: 'is', value: 'application' };

const bucket = (hour: number, fields: object) => ({
  start_time: `2026-05-28T0${hour}:00:00.000Z`,
  count: 0,
  failed: 0,
  unpriced: 0,
  cost: 0,
  input_tokens: 0,
  output_tokens: 0,
  latency_p50_ms: null,
  latency_p95_ms: null,
  ...fields,
});
const HISTOGRAM = {
  success: true,
  start_time: null,
  end_time: null,
  bucket_seconds: 3600,
  partial: false,
  counted_from: null,
  buckets: [
    bucket(1, { count: 4, failed: 1, cost: 0.5, latency_p95_ms: 900 }),
    bucket(2, { count: 6, cost: 1, latency_p95_ms: 700 }),
    bucket(3, {}),
  ],
};

describe('trends', () => {
  it('ask for a week of calls of applications by model, unless the URL says otherwise', () => {
    expect(toHistogram(DEFAULTS, NOW)).toEqual({
      filter_group: { logic: 'AND', filters: [OF_APPLICATIONS] },
      start_time: '2026-05-21T12:00:00.000Z',
      end_time: '2026-05-28T12:00:00.000Z',
    });
    expect(toBreakdown(DEFAULTS, 20)).toEqual({ by: 'model', days: 7, limit: 20, origin: 'application' });
    const odd = { ...DEFAULTS, by: 'toString', days: 'x', metric: 'constructor' };
    expect(toBreakdown(odd, 20)).toEqual(toBreakdown(DEFAULTS, 20));
    expect(toBreakdown({ ...DEFAULTS, origin: 'all', by: 'tag', days: '90' }, 5)).toEqual({
      by: 'tag',
      days: 90,
      limit: 5,
    });
  });

  it('show the calls of one group', () => {
    const state = { ...DEFAULTS, by: 'prompt_version', only: '7:3', origin: 'all' };
    expect(toHistogram(state, NOW).filter_group.filters).toEqual([
      { field: 'prompt_id', operator: 'is', value: '7' },
      { field: 'prompt_version_number', operator: 'eq', value: '3' },
    ]);
  });

  it.each([
    ['calls', '10 requests'],
    ['failures', '1 failed'],
    ['cost', '$1.50'],
    ['p95', '95th percentile up to 900 ms'],
  ])('say what some bars come to: %s', (name, words) => {
    const metric = METRICS[name]!;
    const bars = barsOf(HISTOGRAM, metric);
    expect(describeBars(bars, { from: bars[0]!.from, to: bars[1]!.to }, metric)).toBe(words);
  });

  it('lead to the list of a group or of a bar', () => {
    const state = { ...DEFAULTS, by: 'tag', metric: 'failures', env: 'eu' };
    expect(listOf(state, { time: { days: '7' }, value: 'a b' })).toBe(
      '/logs?f=tags+contains+a+b&status=ERROR&days=7&env=eu',
    );
    expect(listOf(DEFAULTS, { time: { from: 'x', to: 'y' }, value: '' })).toBe('/logs?from=x&to=y');
  });
});
