import type { EntityManager } from 'typeorm';
import type { SqlParameters } from '../platform/filters/sql-parameters.js';

export const UNITS = ['count', 'tokens', 'currency', 'duration_seconds', 'number'] as const;
export type Unit = (typeof UNITS)[number];

export const FIELD_METRICS = ['sum', 'avg', 'min', 'max', 'percentile'] as const;
export const METRICS = ['count', ...FIELD_METRICS] as const;

/** A number of a row that charts aggregate. */
export interface ChartField {
  title: string;
  /** Unit of the numbers in the answer. */
  unit: Unit;
  /** SQL over a row; null where the row has no such number. */
  sql: string;
  /** True for integer and numeric columns. Others are summed as decimals, so that no sum depends on its order. */
  exact: boolean;
  /** True for what is counted: its ranges begin and end with whole numbers. */
  whole?: boolean;
  /** Divides a stored number to give the unit. */
  divisor?: number;
  /** Divides a number in a request to give the unit: 1000 for a field whose name is in milliseconds. */
  requestDivisor?: number;
}

/** A property of a row that charts group by. */
export interface ChartGroup {
  /** A text, or a text[] when `many`: then a row counts in each of its values. Null and "" are no value. */
  sql: (parameters: SqlParameters) => string;
  many: boolean;
  /** Names of values that have better ones. The label of any other value is the value itself. */
  labels?: (tx: EntityManager, values: string[]) => Promise<ReadonlyMap<string, string>>;
}

export type Aggregate =
  | { metric: 'count' }
  | { metric: 'sum' | 'avg' | 'min' | 'max'; field: ChartField }
  | { metric: 'percentile'; field: ChartField; /** 0 to 1. */ fraction: number };

/** One number per row of a chart. */
export interface Measure {
  key: string;
  label: string;
  unit: Unit;
  aggregate: Aggregate;
}

export const TIME_BUCKETS = ['auto', 'day', 'week', 'month'] as const;
export type TimeBucket = (typeof TIME_BUCKETS)[number];

/** Rows of a chart. Groups are the `limit` largest by the first measure. */
export type Layout =
  | { kind: 'overall' }
  | { kind: 'groups'; by: ChartGroup; limit: number }
  /** A row per combination of values. */
  | { kind: 'tree'; levels: ChartGroup[]; limit: number }
  | { kind: 'time'; bucket: TimeBucket }
  /** A row per bucket, a series per group. */
  | { kind: 'time_groups'; by: ChartGroup; limit: number; bucket: TimeBucket }
  /** A row per group, a series per group of another property. */
  | { kind: 'grid'; rows: ChartGroup; columns: ChartGroup; limit: number }
  /** A row per range of values; `interval` is its width in the unit of the field, null for a round one. */
  | { kind: 'histogram'; field: ChartField; interval: number | null };

/** The quotient of two measures. */
export interface RatioInsight {
  type: 'ratio';
  label: string;
  numeratorSeriesKey: string;
  denominatorSeriesKey: string;
}

/** A chart that has been checked. */
export interface Chart {
  id: string;
  title: string;
  chartType: string;
  /** Layouts with a series per group have exactly one. */
  measures: Measure[];
  layout: Layout;
  insights: RatioInsight[];
}

/** The rows that the charts of a request are about. */
export interface ChartSource {
  /** FROM clause with its conditions, and the values of its placeholders. */
  from: string;
  values: readonly unknown[];
  /** When a row happened: SQL of type timestamptz. */
  time: string;
  /** The ends of charts over time, in milliseconds; null for the first or last row. */
  range: { from: number | null; to: number | null };
}

export interface SeriesMeta {
  key: string;
  label: string;
  unit: Unit;
}

export type ChartRow = Record<string, string | number | string[] | null>;

export interface ChartResult {
  id: string;
  title: string;
  chartType: string;
  series: SeriesMeta[];
  data: ChartRow[];
  /** Absent when the chart has none. */
  derivedInsights?: (RatioInsight & { value: number | null })[];
}
