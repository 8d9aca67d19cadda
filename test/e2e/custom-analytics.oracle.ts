import { expect } from 'vitest';
import { bucketKey, bucketLabel, bucketSizeFor } from '../../src/charts/buckets.js';

/** Charts worked out without SQL and without the code under test. */

/** A request log, a trace or a span, with what charts can know of it. */
export interface Fact {
  /** Milliseconds since 1970. */
  time: number;
  /** In the units of the answer. */
  fields: Record<string, number | null>;
  groups: Record<string, string[]>;
  metadata: Record<string, string>;
}

interface MeasureSpec {
  metric: string;
  metricField?: string;
  percentile?: number;
}

export interface ChartSpec {
  id: string;
  title?: string;
  chartType: string;
  metric?: string;
  metricField?: string;
  percentile?: number;
  series?: (MeasureSpec & { key: string; label: string })[];
  derivedInsights?: { type?: string; label: string; numeratorSeriesKey: string; denominatorSeriesKey: string }[];
  groupByField?: string;
  groupByMetadataKey?: string;
  secondaryGroupByField?: string;
  hierarchyFields?: string[];
  timeSeries?: boolean;
  limit?: number;
}

export interface Words {
  counted: string;
  fields: Record<string, { title: string; unit: string }>;
  /** Display names of a field's values, where they differ from the values. */
  names?: Record<string, Record<string, string>>;
}

interface Series extends MeasureSpec {
  key: string;
  label: string;
  unit: string;
}

/** The chart as the server should give it; numbers within rounding. */
export function expectedChart(spec: ChartSpec, facts: Fact[], words: Words): object {
  const measures = measuresOf(spec, words);
  const content = contentOf(spec, measures, facts, words);
  const chart = { id: spec.id, title: spec.title ?? spec.id, chartType: spec.chartType, ...content };
  if (!spec.derivedInsights?.length) return within(chart);
  const derivedInsights = spec.derivedInsights.map((insight) => {
    const totalOf = (key: string) =>
      measure(
        measures.find((each) => each.key === key)!,
        facts,
      );
    const [numerator, denominator] = [totalOf(insight.numeratorSeriesKey), totalOf(insight.denominatorSeriesKey)];
    return { ...insight, value: numerator === null || !denominator ? null : numerator / denominator };
  });
  return within({ ...chart, derivedInsights });
}

function measuresOf(spec: ChartSpec, words: Words): Series[] {
  if (spec.series) {
    return spec.series.map((each) => ({ ...each, unit: words.fields[each.metricField!]!.unit }));
  }
  const { metric, metricField, percentile } = spec;
  const { title, unit } = metric === 'count' ? { title: words.counted, unit: 'count' } : words.fields[metricField!]!;
  return [{ key: 'value', label: title, unit, metric: metric!, metricField, percentile }];
}

interface Content {
  series: { key: string; label: string; unit: string }[];
  data: object[];
}

function contentOf(spec: ChartSpec, measures: Series[], facts: Fact[], words: Words): Content {
  const nameOf = (field: string | undefined, value: string) => words.names?.[field ?? '']?.[value] ?? value;
  const series = measures.map(({ key, label, unit }) => ({ key, label, unit }));
  const [first] = measures;
  const limit = spec.limit ?? 25;
  if (spec.hierarchyFields) {
    const paths = combinations(spec.hierarchyFields, facts);
    const largest = sorted(paths, first!).slice(0, limit);
    return {
      series,
      data: largest.map(({ path: parts, members }) => {
        const path = parts.map((part, index) => nameOf(spec.hierarchyFields![index], part));
        return { label: path.at(-1), path, ...values(measures, members) };
      }),
    };
  }
  if (spec.secondaryGroupByField) {
    const grid = gridOf(spec, first!, facts);
    return {
      series: grid.series.map((each) => ({ ...each, label: nameOf(spec.secondaryGroupByField, each.label) })),
      data: grid.data.map((row) => ({ ...row, label: nameOf(spec.groupByField, (row as { label: string }).label) })),
    };
  }
  const grouped = spec.groupByField || spec.groupByMetadataKey ? groupsOf(spec, facts, first!).slice(0, limit) : null;
  if (spec.timeSeries) {
    const content = timeOf(measures, facts, grouped);
    return {
      ...content,
      series: content.series.map((each) => ({
        ...each,
        label: grouped ? nameOf(spec.groupByField, each.label) : each.label,
      })),
    };
  }
  if (!grouped) return { series, data: [{ label: 'Overall', ...values(measures, facts) }] };
  return {
    series,
    data: grouped.map(({ path, members }) => ({
      label: nameOf(spec.groupByField, path[0]!),
      ...values(measures, members),
    })),
  };
}

interface Group {
  path: string[];
  members: Fact[];
}

function groupsOf({ groupByField, groupByMetadataKey }: ChartSpec, facts: Fact[], first: Series): Group[] {
  if (groupByField) return sorted(combinations([groupByField], facts), first);
  const withValue = facts.map((fact) => {
    const value = fact.metadata[groupByMetadataKey!];
    return { ...fact, groups: { metadata: value === undefined ? [] : [value] } };
  });
  return sorted(combinations(['metadata'], withValue), first);
}

function combinations(fields: string[], facts: Fact[]): Group[] {
  const groups = new Map<string, Group>();
  for (const fact of facts) {
    const paths = fields.reduce<string[][]>(
      (known, field) => known.flatMap((path) => [...new Set(fact.groups[field])].map((value) => [...path, value])),
      [[]],
    );
    for (const path of paths) {
      const key = JSON.stringify(path);
      if (!groups.has(key)) groups.set(key, { path, members: [] });
      groups.get(key)!.members.push(fact);
    }
  }
  return [...groups.values()];
}

/** The largest first; without a value last. */
function sorted(groups: Group[], first: Series): Group[] {
  const size = ({ members }: Group) => measure(first, members) ?? -Infinity;
  return groups.sort((a, b) => size(b) - size(a) || compare(a.path, b.path));
}

function compare(a: string[], b: string[]): number {
  const at = a.findIndex((part, index) => part !== b[index]);
  return at < 0 ? 0 : a[at]! < b[at]! ? -1 : 1;
}

function timeOf(measures: Series[], facts: Fact[], grouped: Group[] | null): Content {
  const plain = measures.map(({ key, label, unit }) => ({ key, label, unit }));
  const [first] = measures;
  const series = grouped ? grouped.map(({ path }) => ({ key: path[0]!, label: path[0]!, unit: first!.unit })) : plain;
  if (facts.length === 0 || series.length === 0) return { series, data: [] };
  const times = facts.map(({ time }) => time);
  const size = bucketSizeFor(Math.min(...times), Math.max(...times));
  const bucketOf = ({ time }: Fact) => Math.floor(time / size.ms);
  const [low, high] = [Math.min(...facts.map(bucketOf)), Math.max(...facts.map(bucketOf))];
  const data = Array.from({ length: high - low + 1 }, (_, index) => {
    const start = (low + index) * size.ms;
    const inBucket = (members: Fact[]) => members.filter((fact) => bucketOf(fact) === low + index);
    const row = grouped
      ? Object.fromEntries(grouped.map(({ path, members }) => [path[0]!, measure(first!, inBucket(members))]))
      : values(measures, inBucket(facts));
    return { label: bucketLabel(start, size), bucketKey: bucketKey(start, size), ...row };
  });
  return { series, data };
}

function gridOf(spec: ChartSpec, first: Series, facts: Fact[]): Content {
  const [primary, secondary] = [spec.groupByField!, spec.secondaryGroupByField!];
  const both = facts.filter(({ groups }) => groups[primary]!.length > 0 && groups[secondary]!.length > 0);
  const limit = spec.limit ?? 25;
  const columns = sorted(combinations([secondary], both), first).slice(0, limit);
  const rows = sorted(combinations([primary], both), first).slice(0, limit);
  const series = columns.map(({ path }) => ({ key: path[0]!, label: path[0]!, unit: first.unit }));
  const data = rows.flatMap(({ path, members }) => {
    const cell = (value: string) => members.filter(({ groups }) => groups[secondary]!.includes(value));
    const filled = columns.some((column) => cell(column.path[0]!).length > 0);
    const cells = columns.map((column) => [column.path[0]!, measure(first, cell(column.path[0]!))]);
    return filled ? [{ label: path[0], ...(Object.fromEntries(cells) as object) }] : [];
  });
  const shown = series.filter(({ key }) =>
    rows.some(({ members }) => members.some(({ groups }) => groups[secondary]!.includes(key))),
  );
  const keys = new Set(['label', ...shown.map(({ key }) => key)]);
  return { series: shown, data: data.map((row) => pick(row, keys)) };
}

function pick(row: object, keys: Set<string>): object {
  return Object.fromEntries(Object.entries(row).filter(([key]) => keys.has(key)));
}

function values(measures: Series[], facts: Fact[]): Record<string, number | null> {
  return Object.fromEntries(measures.map((each) => [each.key, measure(each, facts)]));
}

function measure({ metric, metricField, percentile }: MeasureSpec, facts: Fact[]): number | null {
  if (metric === 'count') return facts.length;
  const numbers = facts.flatMap(({ fields }) => fields[metricField!] ?? []).sort((a, b) => a - b);
  const sum = numbers.reduce((total, number) => total + number, 0);
  if (metric === 'sum') return sum;
  if (numbers.length === 0) return null;
  if (metric === 'avg') return sum / numbers.length;
  if (metric === 'min') return numbers[0]!;
  if (metric === 'max') return numbers.at(-1)!;
  const place = (percentile! / 100) * (numbers.length - 1);
  const [low, high] = [numbers[Math.floor(place)]!, numbers[Math.ceil(place)]!];
  return low + (high - low) * (place - Math.floor(place));
}

/** Accepts what differs by rounding only. */
function within(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (_, item: unknown) =>
    typeof item === 'number' ? (expect.closeTo(item, 8) as unknown) : item,
  ) as object;
}
