import type { EntityManager } from 'typeorm';
import { measureValues } from './aggregates.js';
import { type ChartRows, ChartStatement, isPresent, spread } from './chart-statement.js';
import type { Chart, ChartGroup, ChartRow, ChartSource } from './chart.js';
import { type ChartContent, labelsOf, seriesOf } from './content.js';

interface Combinations {
  levels: ChartGroup[];
  limit: number;
}

/** One row over everything. */
export async function readOverall(tx: EntityManager, source: ChartSource, { measures }: Chart): Promise<ChartContent> {
  const statement = new ChartStatement(source);
  statement.keepMeasures(measures);
  const [total] = await statement.run(tx, `SELECT ${statement.measures(measures, 'total')} FROM matched`);
  return {
    series: seriesOf(measures),
    data: [{ label: 'Overall', ...measureValues(measures, total, 'total') }],
    total,
  };
}

/** A row per combination of the values of the properties, the largest first. Its label is the value of the last one. */
export async function readGroups(
  tx: EntityManager,
  source: ChartSource,
  chart: Chart,
  combinations: Combinations,
): Promise<ChartContent> {
  const { rows, total } = await readCombinations(tx, source, chart, combinations);
  const paths: string[][] = rows.map(() => []);
  for (const [index, level] of combinations.levels.entries()) {
    const values = rows.map((row) => String(row[`v${index}`]));
    const label = await labelsOf(tx, level, values);
    for (const [at, value] of values.entries()) paths[at].push(label(value));
  }
  const data = rows.map((row, at): ChartRow => {
    const named = { label: paths[at].at(-1)!, ...measureValues(chart.measures, row, 'm') };
    return chart.layout.kind === 'tree' ? { ...named, path: paths[at] } : named;
  });
  return { series: seriesOf(chart.measures), data, total };
}

function readCombinations(
  tx: EntityManager,
  source: ChartSource,
  chart: Chart,
  { levels, limit }: Combinations,
): Promise<ChartRows> {
  const { measures } = chart;
  const statement = new ChartStatement(source);
  statement.keepMeasures(measures);
  const values = levels.map((_, index) => `v${index}`);
  const from = levels.reduce(
    (rows, level, index) => spread(rows, level, statement.keepGroup(level, `g${index}`), values[index]),
    'matched',
  );
  statement.addTable(
    'grouped',
    `SELECT ${values.join(', ')}, ${statement.measures(measures, 'm')}, ${statement.rank(measures, values)} AS rank` +
      ` FROM ${from} WHERE ${values.map(isPresent).join(' AND ')} GROUP BY ${values.join(', ')}` +
      ` ORDER BY rank LIMIT ${statement.parameters.add(limit)}::int`,
  );
  return statement.runTable(tx, { name: 'grouped', order: 'rank' }, chart);
}
