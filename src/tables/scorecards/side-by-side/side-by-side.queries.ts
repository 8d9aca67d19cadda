import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../../platform/database/binary-arrays.js';
import { Statement } from '../../../platform/database/statement.js';
import { textOf } from '../../../platform/filters/json-value-sql.js';
import type { SheetColumn } from '../../../grid/columns/column.entity.js';
import type { StoredStep } from '../scorecard-row.entity.js';
import type { ScorecardCalculation } from '../scorecard-calculation.entity.js';

/** Characters of a cell that are shown beside others at most. */
export const SHOWN_LENGTH = 4000;
/** Characters of all cells of a page: many cells are cut earlier than few. */
const MOST_CHARACTERS = 8_000_000;

/** How much is shown of each of so many cells. */
export const lengthOfEach = (cells: number): number =>
  Math.min(SHOWN_LENGTH, Math.floor(MOST_CHARACTERS / Math.max(1, cells)));
/** In bytes as stored. Longer values would have to be read as a whole for their first characters. */
const LONGEST_READ = 1024 * 1024;

/** A cell as it was when it was scored. */
export interface ShownCell {
  columnKey: string;
  rowIndex: number;
  /** Its beginning; null for a cell that holds nothing. */
  text: string | null;
  isCut: boolean;
  error: string | null;
  cost: number | null;
  latencyMs: number | null;
}

const SHOWN = `coalesce(display_value, CASE WHEN pg_column_size(value) > ${LONGEST_READ} THEN '…' ELSE ${textOf('value')} END)`;
const METRICS = `(metrics ->> 'price')::float8 AS cost, (metrics ->> 'latency_ms')::float8 AS "latencyMs"`;
const CONTENT = `column_key AS "columnKey", row_index AS "rowIndex", substr(${SHOWN}, 1, $5) AS text,
  coalesce(pg_column_size(value), 0) > ${LONGEST_READ} OR coalesce(length(${SHOWN}), 0) > $5 AS "isCut",
  left(error, $5) AS error, ${METRICS}`;
const OF_COLUMNS = 'workspace_id = $1 AND column_key = ANY($2::bigint[])';

/** What cells were at a version: what they have been since before it, or what the history says. */
const atVersion = (content: string, where: string, version: string) => `
  SELECT ${content} FROM cells WHERE ${where} AND version <= ${version}
  UNION ALL
  SELECT ${content} FROM cell_history WHERE ${where} AND version_from <= ${version} AND version_to > ${version}`;

const READ_CELLS = new Statement<ShownCell>(atVersion(CONTENT, `${OF_COLUMNS} AND row_index = ANY($3::int[])`, '$4'));

type Calculation = Pick<ScorecardCalculation, 'workspaceId' | 'id' | 'version'>;

const keysOf = (columns: SheetColumn[]) => int8Array(columns.map(({ key }) => Number(key)));

/** The cells of some rows as a calculation has scored them, in no particular order. */
export function readShownCells(
  tx: EntityManager,
  { workspaceId, version }: Calculation,
  { columns, rows, length }: { columns: SheetColumn[]; rows: number[]; length: number },
): Promise<ShownCell[]> {
  return READ_CELLS.run(tx, [workspaceId, keysOf(columns), int4Array(rows), version, length]);
}

/** What the cells that were scored took. */
export interface RunTotals {
  /** US dollars; null where no price is known. */
  cost: number | null;
  /** Cells that called a model or a service whose price is not known. */
  unpriced: number;
  /** The mean over the rows that took any time. */
  latencyMs: number | null;
}

const READ_TOTALS = new Statement<RunTotals>(`
  SELECT sum(cost) AS cost, coalesce(sum(unpriced), 0)::int AS unpriced, avg(latency) AS "latencyMs" FROM (
    SELECT sum(cost) AS cost, sum("latencyMs") AS latency, count(*) FILTER (WHERE calls > 0 AND cost IS NULL) AS unpriced FROM (
      ${atVersion(`row_index, ${METRICS}, (metrics ->> 'request_count')::float8 AS calls`, `${OF_COLUMNS} AND metrics IS NOT NULL`, '$3')}) cell
     GROUP BY row_index) per_row`);

/** Sums over all rows, of columns that are computed. */
export async function readTotals(
  tx: EntityManager,
  { workspaceId, version }: Calculation,
  columns: SheetColumn[],
): Promise<RunTotals> {
  const [totals] = await READ_TOTALS.run(tx, [workspaceId, keysOf(columns), version]);
  return totals!;
}

const READ_STEPS = new Statement<{ row: number; steps: StoredStep[] }>(`
  SELECT row_index AS row, steps FROM scorecard_rows
   WHERE workspace_id = $1 AND calculation_id = $2 AND row_index = ANY($3::int[])`);

/** What the steps of a calculation found in some rows. */
export async function readSteps(
  tx: EntityManager,
  { workspaceId, id }: Calculation,
  rows: number[],
): Promise<Map<number, StoredStep[]>> {
  const found = await READ_STEPS.run(tx, [workspaceId, id, int4Array(rows)]);
  return new Map(found.map(({ row, steps }) => [row, steps]));
}
