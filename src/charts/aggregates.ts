import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import type { Aggregate, ChartField, ChartRow, Measure } from './chart.js';

/**
 * The SQL of an aggregate over rows whose number is in `column`. Its result may be a decimal, which the driver gives as
 * text; `toNumber` reads it.
 */
export function aggregateSql(aggregate: Aggregate, column: string, parameters: SqlParameters): string {
  if (aggregate.metric === 'count') return 'count(*)';
  const { field } = aggregate;
  const plain = plainSql(aggregate, column, parameters);
  return inUnit(field, plain);
}

/** A stored number in the unit of its field. As a decimal the divisor never makes it an integer division. */
export function inUnit({ divisor }: ChartField, sql: string): string {
  return divisor === undefined ? sql : `(${sql} / ${divisor}::numeric)`;
}

function plainSql(
  aggregate: Exclude<Aggregate, { metric: 'count' }>,
  column: string,
  parameters: SqlParameters,
): string {
  const exact = aggregate.field.exact ? column : `${column}::numeric`;
  switch (aggregate.metric) {
    case 'sum':
      return `COALESCE(sum(${exact}), 0)`;
    case 'avg':
      return `avg(${exact})`;
    case 'min':
    case 'max':
      return `${aggregate.metric}(${column})`;
    case 'percentile':
      return `percentile_cont(${parameters.add(aggregate.fraction)}::float8) WITHIN GROUP (ORDER BY ${column}::float8)`;
  }
}

/** A number as the driver gave it; null for none, and for what JSON cannot write. */
export function toNumber(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Value of a measure without rows: 0 for counts and sums, otherwise null. */
export function emptyValue({ aggregate }: Measure): number | null {
  return aggregate.metric === 'count' || aggregate.metric === 'sum' ? 0 : null;
}

/** The values of the measures in a row of a result, whose columns are called `<prefix>0`, `<prefix>1`, … */
export function measureValues(measures: Measure[], row: Record<string, unknown>, prefix: string): ChartRow {
  return Object.fromEntries(measures.map(({ key }, index) => [key, toNumber(row[`${prefix}${index}`])]));
}
