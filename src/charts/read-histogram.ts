import type { EntityManager } from 'typeorm';
import { inUnit } from './aggregates.js';
import { ChartErrors } from './chart.errors.js';
import { ChartStatement } from './chart-statement.js';
import type { Chart, ChartField, ChartSource } from './chart.js';
import { type ChartContent, seriesOf } from './content.js';

/** About as many bins as a chart without a given interval has. */
const BINS = 20;
/** Beyond it bins without rows are left out. */
const MOST_FILLED = 1000;
const MOST_BINS = 10_000;

/** The number of the bin. Decimals have no rounding errors: 0.3 belongs into the bin that begins with 0.3. */
const BIN = `(div(n, width) - CASE WHEN n < 0 AND mod(n, width) <> 0 THEN 1 ELSE 0 END)`;

export interface HistogramOptions {
  field: ChartField;
  interval: number | null;
}

/** A row per range of values, the lowest first: from its start, which belongs to it, to its end, which does not. */
export async function readHistogram(
  tx: EntityManager,
  source: ChartSource,
  { id, measures }: Chart,
  { field, interval }: HistogramOptions,
): Promise<ChartContent> {
  const [{ key }] = measures;
  const statement = new ChartStatement(source);
  statement.keep(`${inUnit(field, `${field.sql}::numeric`)}`, 'n');
  statement.addTable('width', interval === null ? roundWidth(field) : givenWidth(field, interval, statement));
  statement.addTable(
    'bins',
    `SELECT ${BIN} AS bin, count(*) AS rows FROM matched, width WHERE n IS NOT NULL GROUP BY 1`,
  );
  statement.addTable(
    'listed',
    `SELECT bin FROM bins UNION SELECT generate_series(low, high) FROM` +
      ` (SELECT min(bin) AS low, max(bin) AS high FROM bins) AS ends WHERE high - low < ${MOST_FILLED}`,
  );
  const rows = await statement.run(
    tx,
    `SELECT bin * width AS low, (bin + 1) * width AS high, COALESCE(rows, 0) AS rows` +
      ` FROM listed LEFT JOIN bins USING (bin) CROSS JOIN width ORDER BY bin LIMIT ${MOST_BINS + 1}`,
  );
  if (rows.length > MOST_BINS) throw ChartErrors.chart_too_large(id, MOST_BINS);
  const data = rows.map(({ low, high, rows: count }) => {
    const [binStart, binEnd] = [Number(low), Number(high)];
    return { label: `${binStart}–${binEnd}`, [key]: Number(count), binStart, binEnd };
  });
  return { series: seriesOf(measures), data, total: null };
}

function givenWidth({ requestDivisor = 1 }: ChartField, interval: number, { parameters }: ChartStatement): string {
  return `SELECT ${parameters.add(interval)}::numeric / ${requestDivisor} AS width`;
}

/** 1, 2 or 5 times a power of ten, such that there are 13 to 33 bins; whole for what is counted. */
function roundWidth({ whole = false }: ChartField): string {
  const smallest = whole ? 1 : 0;
  return (
    `SELECT GREATEST(${smallest}, magnitude * CASE WHEN raw < 1.4 * magnitude THEN 1 WHEN raw < 3.2 * magnitude THEN 2` +
    ` WHEN raw < 7 * magnitude THEN 5 ELSE 10 END) AS width` +
    ` FROM (SELECT raw, power(10::numeric, floor(log(raw))) AS magnitude` +
    // All values are the same: a bin of a twentieth of the value, or of 1 around 0.
    ` FROM (SELECT COALESCE(NULLIF((max(n) - min(n)) / ${BINS}, 0), NULLIF(abs(max(n)) / ${BINS}, 0), 1) AS raw` +
    ` FROM matched) AS spread) AS scaled`
  );
}
