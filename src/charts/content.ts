import type { EntityManager } from 'typeorm';
import type { Row } from './chart-statement.js';
import type { ChartGroup, ChartRow, Measure, SeriesMeta } from './chart.js';

/** Content of a chart without its insights. */
export interface ChartContent {
  series: SeriesMeta[];
  data: ChartRow[];
  /** See `ChartRows`. */
  total: Row | null;
}

export function seriesOf(measures: Measure[]): SeriesMeta[] {
  return measures.map(({ key, label, unit }) => ({ key, label, unit }));
}

/** Reads the labels of the values of a group. */
export async function labelsOf(
  tx: EntityManager,
  { labels }: ChartGroup,
  values: string[],
): Promise<(value: string) => string> {
  const known = labels && values.length > 0 ? await labels(tx, values) : new Map<string, string>();
  return (value) => known.get(value) ?? value;
}

/** The rows with the same value in a column. */
export function rowsBy(rows: Row[], column: string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const value = String(row[column]);
    const group = groups.get(value);
    if (group) group.push(row);
    else groups.set(value, [row]);
  }
  return groups;
}
