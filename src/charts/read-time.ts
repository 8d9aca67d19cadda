import type { EntityManager } from 'typeorm';
import { emptyValue, measureValues, toNumber } from './aggregates.js';
import { ChartStatement, isPresent, type Row, spread } from './chart-statement.js';
import type { Chart, ChartGroup, ChartRow, ChartSource, TimeBucket } from './chart.js';
import { type ChartContent, labelsOf, rowsBy, seriesOf } from './content.js';
import { groupKeys } from './measures.js';
import { type MomentRange, type TimeGrid, timeGrid } from './time-grid.js';

interface TimeOptions {
  bucket: TimeBucket;
  /** Null when nothing matches and nothing else says which time to show. */
  range: MomentRange | null;
}

/** The first and the last moment to show. */
export async function readRange(tx: EntityManager, source: ChartSource): Promise<MomentRange | null> {
  const { from, to } = source.range;
  if (from !== null && to !== null) return { from, to };
  const statement = new ChartStatement(source);
  statement.keep(source.time, 'moment');
  const ends = `SELECT ${epochMs('min(moment)')} AS first, ${epochMs('max(moment)')} AS last FROM matched`;
  const [{ first, last }] = await statement.run(tx, ends);
  return first === null || last === null ? null : { from: from ?? Number(first), to: to ?? Number(last) };
}

/** A row per bucket of time, the oldest first, empty ones included. */
export async function readTime(
  tx: EntityManager,
  source: ChartSource,
  chart: Chart,
  { bucket, range }: TimeOptions,
): Promise<ChartContent> {
  const { measures } = chart;
  const series = seriesOf(measures);
  if (range === null) return { series, data: [], total: null };
  const grid = timeGrid(bucket, range);
  const statement = new ChartStatement(source);
  statement.keepMeasures(measures);
  statement.keep(grid.sql(source.time, statement.parameters), 'bucket');
  const values = statement.measures(measures, 'm');
  statement.addTable('grouped', `SELECT ${epochMs('bucket')} AS start, ${values} FROM matched GROUP BY bucket`);
  const { rows, total } = await statement.runTable(tx, { name: 'grouped', order: 'start' }, chart);
  const byStart = new Map(rows.map((row) => [Number(row.start), measureValues(measures, row, 'm')]));
  const empty = Object.fromEntries(measures.map((measure) => [measure.key, emptyValue(measure)]));
  const data = grid.starts(byStart.keys()).map((start) => ({ ...head(grid, start), ...(byStart.get(start) ?? empty) }));
  return { series, data, total };
}

/** A row per bucket of time and a series per value of a property, the largest first. */
export async function readTimeGroups(
  tx: EntityManager,
  source: ChartSource,
  chart: Chart,
  { bucket, range, by, limit }: TimeOptions & { by: ChartGroup; limit: number },
): Promise<ChartContent> {
  if (range === null) return { series: [], data: [], total: null };
  const grid = timeGrid(bucket, range);
  const rows = await readTimeMembers(tx, source, chart, { grid, by, limit });
  const values = [...new Set(rows.map((row) => String(row.v)))];
  const [measure] = chart.measures;
  const label = await labelsOf(tx, by, values);
  const keys = groupKeys(values);
  const keyOf = new Map(values.map((value, index) => [value, keys[index]]));
  const series = values.map((value, index) => ({ key: keys[index], label: label(value), unit: measure.unit }));
  const byStart = rowsBy(rows, 'start');
  const starts = values.length === 0 ? [] : grid.starts([...byStart.keys()].map(Number));
  const data = starts.map((start): ChartRow => {
    const found = (byStart.get(String(start)) ?? []).map(
      (row) => [keyOf.get(String(row.v))!, toNumber(row.m0)] as const,
    );
    const empty = keys.map((key) => [key, emptyValue(measure)] as const);
    return { ...head(grid, start), ...Object.fromEntries([...empty, ...found]) };
  });
  return { series, data, total: null };
}

function readTimeMembers(
  tx: EntityManager,
  source: ChartSource,
  { measures }: Chart,
  { grid, by, limit }: { grid: TimeGrid; by: ChartGroup; limit: number },
): Promise<Row[]> {
  const statement = new ChartStatement(source);
  statement.keepMeasures(measures);
  statement.keep(grid.sql(source.time, statement.parameters), 'bucket');
  const group = statement.keepGroup(by, 'g');
  statement.addTable('members', `SELECT * FROM ${spread('matched', by, group, 'v')} WHERE ${isPresent('v')}`);
  statement.addTable(
    'largest',
    `SELECT v, ${statement.rank(measures, ['v'])} AS rank FROM members GROUP BY v ORDER BY rank` +
      ` LIMIT ${statement.parameters.add(limit)}::int`,
  );
  return statement.run(
    tx,
    `SELECT v, rank, ${epochMs('bucket')} AS start, ${statement.measures(measures, 'm')}` +
      ` FROM members JOIN largest USING (v) GROUP BY v, rank, bucket ORDER BY rank, start`,
  );
}

function head(grid: TimeGrid, start: number): { label: string; bucketKey: string } {
  return { label: grid.label(start), bucketKey: grid.key(start) };
}

function epochMs(moment: string): string {
  return `(extract(epoch FROM ${moment}) * 1000)::float8`;
}
