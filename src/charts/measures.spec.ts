import { describe, expect, it } from 'vitest';
import type { ChartField } from './chart.js';
import { groupKeys, insightsOf, measuresOf, requireDistinctIds } from './measures.js';

const cost: ChartField = { title: 'Cost', unit: 'currency', sql: 'price', exact: false };
const latency: ChartField = { title: 'Latency', unit: 'duration_seconds', sql: 'latency_ms', exact: false };
const names = { fields: { cost, latency_ms: latency }, counted: 'Requests' };

const x = { key: 'x', label: 'X', metric: 'sum', metricField: 'cost' } as const;
const y = { key: 'y', label: 'Y', metric: 'percentile', metricField: 'latency_ms', percentile: 95 } as const;

describe('measuresOf', () => {
  it('counts rows under the name of what they are', () => {
    expect(measuresOf({ id: 'a', metric: 'count', metricField: null }, names)).toEqual([
      { key: 'value', label: 'Requests', unit: 'count', aggregate: { metric: 'count' } },
    ]);
  });

  it('names a single measure after its field', () => {
    expect(measuresOf({ id: 'a', metric: 'avg', metricField: 'cost' }, names)).toEqual([
      { key: 'value', label: 'Cost', unit: 'currency', aggregate: { metric: 'avg', field: cost } },
    ]);
  });

  it('makes a measure of every series, with the names it was given', () => {
    expect(measuresOf({ id: 'a', series: [x, y] }, names)).toEqual([
      { key: 'x', label: 'X', unit: 'currency', aggregate: { metric: 'sum', field: cost } },
      {
        key: 'y',
        label: 'Y',
        unit: 'duration_seconds',
        aggregate: { metric: 'percentile', field: latency, fraction: 0.95 },
      },
    ]);
  });

  it.each([
    [{}, 'it needs a metric, or series'],
    [{ metric: 'max' as const }, 'the metric max needs a metricField'],
    [{ metric: 'percentile' as const, metricField: 'cost' }, 'its percentile is missing'],
    [{ metric: 'sum' as const, metricField: 'cost', percentile: 0 }, 'the metric sum takes no percentile'],
    [{ metric: 'count' as const, series: [x, y] }, 'metric cannot be combined with series'],
    [{ percentile: 0, series: [x, y] }, 'percentile cannot be combined with series'],
    [{ series: [x, x] }, 'two series have the key "x"'],
    [{ series: [x, { ...y, key: 'bucketKey' }] }, 'a series cannot have the key "bucketKey"'],
    [{ series: [x, { ...y, key: '__proto__' }] }, 'a series cannot have the key "__proto__"'],
  ])('refuses %j', (spec, reason) => {
    expect(() => measuresOf({ id: 'a', ...spec }, names)).toThrow(`The chart "a" is not valid: ${reason}.`);
  });
});

describe('insightsOf', () => {
  const ratio = { type: 'ratio', label: 'R', numeratorSeriesKey: 'x', denominatorSeriesKey: 'y' } as const;

  it('takes insights about series that are there, and none', () => {
    expect(insightsOf({ id: 'a', series: [x, y], derivedInsights: [ratio] })).toEqual([ratio]);
    expect(insightsOf({ id: 'a', metric: 'count', derivedInsights: [] })).toEqual([]);
  });

  it('refuses others', () => {
    expect(() => insightsOf({ id: 'a', metric: 'count', derivedInsights: [ratio] })).toThrow('need series');
    const about = { ...ratio, denominatorSeriesKey: 'z' };
    expect(() => insightsOf({ id: 'a', series: [x, y], derivedInsights: [about] })).toThrow(
      'no series has the key "z"',
    );
  });
});

describe('groupKeys', () => {
  it('takes values as they are where rows can carry them, and never the same key twice', () => {
    const long = 'x'.repeat(65);
    const values = ['gpt-4o', 'label', 'group_2', long, '__proto__', 'x'.repeat(64)];
    expect(groupKeys(values)).toEqual(['gpt-4o', 'group_2_', 'group_2', 'group_4', 'group_5', 'x'.repeat(64)]);
  });
});

describe('requireDistinctIds', () => {
  it('refuses an id that is there twice', () => {
    expect(() => requireDistinctIds([{ id: 'a' }, { id: 'A' }])).not.toThrow();
    expect(() => requireDistinctIds([{ id: 'a' }, { id: 'b' }, { id: 'a' }])).toThrow('The chart "a"');
  });
});
