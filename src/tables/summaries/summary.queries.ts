import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { filledSql, numberOf, textOf, truthOf } from '../../platform/filters/json-value-sql.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';

/** Maximum size of a text in bytes, as stored. Longer texts are counted, but neither read nor compared. */
const LONGEST_TEXT = 2000;
const TOP_VALUES = 10;
/** Characters to show of a frequent text. */
const SHOWN_TEXT = 200;

export interface ColumnStatistics {
  key: string;
  /** Cells with a value, failed ones included; all other figures exclude failed ones. */
  filled: number;
  yes: number;
  no: number;
  numbers: number;
  min: number | null;
  mean: number | null;
  max: number | null;
  sum: number | null;
  texts: number;
  /** Texts among them that are too long to compare. */
  long: number;
}

export interface FrequentText {
  key: string;
  value: string;
  count: number;
  /** Number of different texts in the column, without long ones. */
  distinct: number;
}

/** A 1 or 0 is a number here: its mean is the share of ones. */
const TRUTH = truthOf('value', [
  ['true', 'yes'],
  ['false', 'no'],
]);

/** The kind of each cell. OFFSET prevents computing it again for every figure. */
const CELLS = `
  SELECT *, ok AND filled AND truth IS NULL AND n IS NULL AS is_text FROM (
    SELECT column_key, value, error IS NULL AS ok, ${filledSql('value')} AS filled, ${TRUTH} AS truth,
           CASE WHEN ${TRUTH} IS NULL THEN ${numberOf('value')}::numeric END AS n, pg_column_size(value) AS size
      FROM cells WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index <@ $3::int4multirange
    OFFSET 0) cell`;

/** Sums are numeric: a float8 sum out of range would fail the statement. */
const STATISTICS = new Statement<Record<keyof ColumnStatistics, string | null>>(`
  SELECT column_key AS key, count(*) FILTER (WHERE filled) AS filled,
         count(*) FILTER (WHERE ok AND truth) AS yes, count(*) FILTER (WHERE ok AND NOT truth) AS no,
         count(n) FILTER (WHERE ok) AS numbers, min(n) FILTER (WHERE ok) AS min, avg(n) FILTER (WHERE ok) AS mean,
         max(n) FILTER (WHERE ok) AS max, sum(n) FILTER (WHERE ok) AS sum,
         count(*) FILTER (WHERE is_text) AS texts, count(*) FILTER (WHERE is_text AND size > ${LONGEST_TEXT}) AS long
    FROM (${CELLS}) cell GROUP BY column_key`);

const FREQUENT = new Statement<FrequentText>(`
  SELECT key, left(value, ${SHOWN_TEXT}) AS value, count, "distinct" FROM (
    SELECT key, value, count, count(*) OVER (PARTITION BY key)::int AS "distinct",
           row_number() OVER (PARTITION BY key ORDER BY count DESC, value COLLATE "C") AS place
      FROM (SELECT column_key AS key, ${textOf('value')} AS value, count(*)::int AS count FROM (${CELLS}) cell
             WHERE is_text AND size <= ${LONGEST_TEXT} GROUP BY 1, 2) text) ranked
   WHERE place <= ${TOP_VALUES} ORDER BY key, place`);

/** Figures about the cells of some columns. The database uses its disk if its memory is too small. */
export async function readStatistics(
  tx: EntityManager,
  { workspaceId, rows }: Pick<Sheet, 'workspaceId' | 'rows'>,
  columns: SheetColumn[],
): Promise<{ statistics: ColumnStatistics[]; frequent: FrequentText[] }> {
  const parameters = [workspaceId, columns.map(({ key }) => key), rows.toString()];
  const found = await STATISTICS.run(tx, parameters);
  return { statistics: found.map(toStatistics), frequent: await FREQUENT.run(tx, parameters) };
}

function toStatistics({ key, min, mean, max, sum, ...counts }: Record<keyof ColumnStatistics, string | null>) {
  const figures = Object.entries({ min, mean, max, sum }).map(([name, text]) => [name, toFinite(text)] as const);
  const numbers = Object.entries(counts).map(([name, text]) => [name, Number(text)] as const);
  return { key, ...Object.fromEntries([...numbers, ...figures]) } as ColumnStatistics;
}

/** A sum may exceed the numbers of JSON readers. */
function toFinite(text: string | null): number | null {
  const number = text === null ? NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}
