import { ChartErrors } from './chart.errors.js';
import type { Aggregate, ChartField, Measure, RatioInsight } from './chart.js';

/** The measures that a request defines for a chart. Null and undefined mean the same. */
export interface MeasureSpec {
  id: string;
  metric?: Aggregate['metric'] | null;
  metricField?: string | null;
  percentile?: number | null;
  series?: SeriesSpec[] | null;
  derivedInsights?: RatioInsight[] | null;
}

interface SeriesSpec {
  key: string;
  label: string;
  metric: Exclude<Aggregate['metric'], 'count'>;
  metricField: string;
  percentile?: number | null;
}

/** The field of a name, which the schema has checked, and what is counted without a field: "Requests". */
export interface MeasureNames {
  fields: Readonly<Record<string, ChartField>>;
  counted: string;
}

/** Keys of answer rows that are not series. */
const RESERVED_KEYS = new Set(['label', 'bucketKey', 'binStart', 'binEnd', 'path', '__proto__']);
const SINGLE_KEY = 'value';

/** Throws chart_invalid when two charts have the same id. */
export function requireDistinctIds(charts: { id: string }[]): void {
  const seen = new Set<string>();
  for (const { id } of charts) {
    if (seen.has(id)) throw ChartErrors.chart_invalid(id, 'another chart of the request has this id');
    seen.add(id);
  }
}

/** Measures of a chart: one, or one for each series. Throws chart_invalid. */
export function measuresOf(spec: MeasureSpec, names: MeasureNames): Measure[] {
  return spec.series ? seriesMeasures(spec, spec.series, names) : [singleMeasure(spec, names)];
}

/** The insights of a chart, whose keys are those of its series. Throws chart_invalid. */
export function insightsOf({ id, series, derivedInsights }: MeasureSpec): RatioInsight[] {
  const insights = derivedInsights ?? [];
  if (insights.length > 0 && !series) throw ChartErrors.chart_invalid(id, 'derivedInsights need series');
  const keys = new Set(series?.map(({ key }) => key));
  for (const { numeratorSeriesKey, denominatorSeriesKey } of insights) {
    const missing = [numeratorSeriesKey, denominatorSeriesKey].find((key) => !keys.has(key));
    if (missing !== undefined) throw ChartErrors.chart_invalid(id, `no series has the key "${missing}"`);
  }
  return insights;
}

/** A series key for each group: its value, if that can be a key of a row. The label always has the whole value. */
export function groupKeys(values: string[]): string[] {
  const taken = new Set(values);
  return values.map((value, index) => {
    if (value.length <= LONGEST_KEY && !RESERVED_KEYS.has(value)) return value;
    let key = `group_${index + 1}`;
    while (taken.has(key)) key += '_';
    taken.add(key);
    return key;
  });
}

const LONGEST_KEY = 64;

function seriesMeasures(spec: MeasureSpec, series: SeriesSpec[], names: MeasureNames): Measure[] {
  const { id } = spec;
  const single = (['metric', 'metricField', 'percentile'] as const).find((name) => isGiven(spec[name]));
  if (single) throw ChartErrors.chart_invalid(id, `${single} cannot be combined with series`);
  const keys = new Set<string>();
  for (const { key } of series) {
    if (keys.has(key)) throw ChartErrors.chart_invalid(id, `two series have the key "${key}"`);
    if (RESERVED_KEYS.has(key)) throw ChartErrors.chart_invalid(id, `a series cannot have the key "${key}"`);
    keys.add(key);
  }
  return series.map((each) => {
    const aggregate = aggregateOf(id, each, names);
    return { key: each.key, label: each.label, unit: unitOf(aggregate), aggregate };
  });
}

function singleMeasure(spec: MeasureSpec, names: MeasureNames): Measure {
  const { id, metric } = spec;
  if (!metric) throw ChartErrors.chart_invalid(id, 'it needs a metric, or series');
  const aggregate = aggregateOf(id, { ...spec, metric }, names);
  const label = aggregate.metric === 'count' ? names.counted : aggregate.field.title;
  return { key: SINGLE_KEY, label, unit: unitOf(aggregate), aggregate };
}

interface AggregateSpec {
  metric: Aggregate['metric'];
  metricField?: string | null;
  percentile?: number | null;
}

function aggregateOf(id: string, { metric, metricField, percentile }: AggregateSpec, names: MeasureNames): Aggregate {
  if ((metric === 'percentile') !== isGiven(percentile)) {
    const reason = metric === 'percentile' ? 'its percentile is missing' : `the metric ${metric} takes no percentile`;
    throw ChartErrors.chart_invalid(id, reason);
  }
  if (metric === 'count') return { metric };
  if (!metricField) throw ChartErrors.chart_invalid(id, `the metric ${metric} needs a metricField`);
  const field = names.fields[metricField];
  return metric === 'percentile' ? { metric, field, fraction: percentile! / 100 } : { metric, field };
}

function unitOf(aggregate: Aggregate): Measure['unit'] {
  return aggregate.metric === 'count' ? 'count' : aggregate.field.unit;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
