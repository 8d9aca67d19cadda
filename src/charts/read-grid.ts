import type { EntityManager } from 'typeorm';
import { emptyValue, toNumber } from './aggregates.js';
import { ChartStatement, hasAny, isPresent, type Row, spread } from './chart-statement.js';
import type { Chart, ChartGroup, ChartRow, ChartSource } from './chart.js';
import { type ChartContent, labelsOf, rowsBy } from './content.js';
import { groupKeys } from './measures.js';

interface Grid {
  rows: ChartGroup;
  columns: ChartGroup;
  limit: number;
}

/** A row per value of one property and a series per value of another, the largest first in both directions. */
export async function readGrid(
  tx: EntityManager,
  source: ChartSource,
  chart: Chart,
  layout: Grid,
): Promise<ChartContent> {
  const [measure] = chart.measures;
  const cells = await readCells(tx, source, chart, layout);
  const rowValues = ranked(cells, 'v0', 'rank0');
  const columnValues = ranked(cells, 'v1', 'rank1');
  const rowLabel = await labelsOf(tx, layout.rows, rowValues);
  const columnLabel = await labelsOf(tx, layout.columns, columnValues);
  const keys = groupKeys(columnValues);
  const keyOf = new Map(columnValues.map((value, index) => [value, keys[index]]));
  const byRow = rowsBy(cells, 'v0');
  const data = rowValues.map((value): ChartRow => {
    const found = byRow.get(value)!.map((cell) => [keyOf.get(String(cell.v1))!, toNumber(cell.m0)] as const);
    const empty = keys.map((key) => [key, emptyValue(measure)] as const);
    return { label: rowLabel(value), ...Object.fromEntries([...empty, ...found]) };
  });
  const series = columnValues.map((value, index) => ({
    key: keys[index],
    label: columnLabel(value),
    unit: measure.unit,
  }));
  return { series, data, total: null };
}

/** The different values of a column in the order of their rank. */
function ranked(cells: Row[], value: string, rank: string): string[] {
  const ranks = new Map(cells.map((cell) => [String(cell[value]), Number(cell[rank])]));
  return [...ranks].sort(([, a], [, b]) => a - b).map(([name]) => name);
}

function readCells(
  tx: EntityManager,
  source: ChartSource,
  { measures }: Chart,
  { rows, columns, limit }: Grid,
): Promise<Row[]> {
  const statement = new ChartStatement(source);
  statement.keepMeasures(measures);
  const [g0, g1] = [statement.keepGroup(rows, 'g0'), statement.keepGroup(columns, 'g1')];
  const largest = (group: ChartGroup, column: string, value: string) =>
    `SELECT ${value}, ${statement.rank(measures, [value])} AS rank${value.slice(1)}` +
    ` FROM ${spread('matched', group, column, value)}` +
    ` WHERE ${isPresent(value)} AND ${hasAny(rows, g0)} AND ${hasAny(columns, g1)}` +
    ` GROUP BY ${value} ORDER BY 2 LIMIT ${statement.parameters.add(limit)}::int`;
  statement.addTable('largest0', largest(rows, g0, 'v0'));
  statement.addTable('largest1', largest(columns, g1, 'v1'));
  const members = spread(spread('matched', rows, g0, 'v0'), columns, g1, 'v1');
  return statement.run(
    tx,
    `SELECT v0, v1, rank0, rank1, ${statement.measures(measures, 'm')}` +
      ` FROM ${members} JOIN largest0 USING (v0) JOIN largest1 USING (v1) GROUP BY v0, v1, rank0, rank1`,
  );
}
