import type { EntityManager } from 'typeorm';
import { toNumber } from './aggregates.js';
import { ChartErrors } from './chart.errors.js';
import type { Row } from './chart-statement.js';
import type { Chart, ChartResult, ChartSource } from './chart.js';
import type { ChartContent } from './content.js';
import { readGrid } from './read-grid.js';
import { readGroups, readOverall } from './read-groups.js';
import { readHistogram } from './read-histogram.js';
import { readRange, readTime, readTimeGroups } from './read-time.js';
import type { MomentRange } from './time-grid.js';

/** Numbers in one answer. A row is at least a label, so this bounds the memory of an answer at some ten megabytes. */
const MOST_VALUES = 200_000;

/** A chart, and the rows it is about. */
export interface SourcedChart {
  chart: Chart;
  source: ChartSource;
}

/**
 * Works out charts, with a statement each and one more for the time range of those over time. `tx` should show all of
 * them the same moment. Throws chart_too_large.
 */
export async function readCharts(tx: EntityManager, charts: SourcedChart[]): Promise<ChartResult[]> {
  // Sorting and grouping a million rows in the default 4 MB goes through the disk many times.
  await tx.query(`SET LOCAL work_mem = '64MB'`);
  const ranges = new RangeReader(tx);
  const results: ChartResult[] = [];
  let values = 0;
  for (const { chart, source } of charts) {
    const content = await readContent(tx, chart, source, ranges);
    values += content.data.length * Math.max(1, content.series.length);
    if (values > MOST_VALUES) throw ChartErrors.chart_too_large(chart.id, MOST_VALUES);
    results.push(toResult(chart, content));
  }
  return results;
}

function readContent(tx: EntityManager, chart: Chart, source: ChartSource, ranges: RangeReader): Promise<ChartContent> {
  const { layout } = chart;
  switch (layout.kind) {
    case 'overall':
      return readOverall(tx, source, chart);
    case 'groups':
      return readGroups(tx, source, chart, { levels: [layout.by], limit: layout.limit });
    case 'tree':
      return readGroups(tx, source, chart, layout);
    case 'time':
      return ranges.of(source).then((range) => readTime(tx, source, chart, { ...layout, range }));
    case 'time_groups':
      return ranges.of(source).then((range) => readTimeGroups(tx, source, chart, { ...layout, range }));
    case 'grid':
      return readGrid(tx, source, chart, layout);
    case 'histogram':
      return readHistogram(tx, source, chart, layout);
  }
}

/** Reads the time range of a source once, however many of the charts need it. */
class RangeReader {
  private readonly known = new Map<ChartSource, MomentRange | null>();

  constructor(private readonly tx: EntityManager) {}

  async of(source: ChartSource): Promise<MomentRange | null> {
    if (!this.known.has(source)) this.known.set(source, await readRange(this.tx, source));
    return this.known.get(source)!;
  }
}

function toResult({ id, title, chartType, measures, insights }: Chart, content: ChartContent): ChartResult {
  const { series, data, total } = content;
  const result = { id, title, chartType, series, data };
  if (insights.length === 0) return result;
  const totalOf = (key: string) =>
    totalValue(
      total,
      measures.findIndex((measure) => measure.key === key),
    );
  const derivedInsights = insights.map((insight) => {
    const { type, label, numeratorSeriesKey, denominatorSeriesKey } = insight;
    const value = quotient(totalOf(numeratorSeriesKey), totalOf(denominatorSeriesKey));
    return { type, label, numeratorSeriesKey, denominatorSeriesKey, value };
  });
  return { ...result, derivedInsights };
}

function totalValue(total: Row | null, index: number): number | null {
  return toNumber(total?.[`total${index}`]);
}

/** Null where there is none. */
function quotient(numerator: number | null, denominator: number | null): number | null {
  if (numerator === null || denominator === null || denominator === 0) return null;
  return toNumber(numerator / denominator);
}
