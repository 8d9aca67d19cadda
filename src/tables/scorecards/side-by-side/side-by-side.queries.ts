import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../../platform/database/binary-arrays.js';
import { Statement } from '../../../platform/database/statement.js';
import { textOf } from '../../../platform/filters/json-value-sql.js';
import type { SheetColumn } from '../../../grid/columns/column.entity.js';
import type { StoredStep } from '../scorecard-row.entity.js';
import type { ScorecardCalculation } from '../scorecard-calculation.entity.js';

/** Maximum number of characters to show of a cell. */
export const SHOWN_LENGTH = 4000;
/** Limit of the characters of a page, which cuts cells earlier when there are many. */
const MOST_CHARACTERS = 8_000_000;

/** Characters to show of each cell, by the number of cells. */
export const lengthOfEach = (cells: number): number =>
  Math.min(SHOWN_LENGTH, Math.floor(MOST_CHARACTERS / Math.max(1, cells)));
/** Maximum size of values that are read, in bytes as stored: the first characters of a value take reading all of it. */
const LONGEST_READ = 1024 * 1024;

/** A cell at the time of a calculation. */
export interface ShownCell {
  columnKey: string;
  rowIndex: number;
  /** The beginning of its text; null for an empty cell. */
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

/** Cells at a version: current ones that are at most that old, and the others from the history. */
const atVersion = (content: string, where: string, version: string) => `
  SELECT ${content} FROM cells WHERE ${where} AND version <= ${version}
  UNION ALL
  SELECT ${content} FROM cell_history WHERE ${where} AND version_from <= ${version} AND version_to > ${version}`;

const READ_CELLS = new Statement<ShownCell>(atVersion(CONTENT, `${OF_COLUMNS} AND row_index = ANY($3::int[])`, '$4'));

type Calculation = Pick<ScorecardCalculation, 'workspaceId' | 'id' | 'version'>;

const keysOf = (columns: SheetColumn[]) => int8Array(columns.map(({ key }) => Number(key)));

/** Reads the cells of some rows at the version of a calculation, in no particular order. */
export function readShownCells(
  tx: EntityManager,
  { workspaceId, version }: Calculation,
  { columns, rows, length }: { columns: SheetColumn[]; rows: number[]; length: number },
): Promise<ShownCell[]> {
  return READ_CELLS.run(tx, [workspaceId, keysOf(columns), int4Array(rows), version, length]);
}

/** Cost and time of the scored cells. */
export interface RunTotals {
  /** US dollars; null when no price is known. */
  cost: number | null;
  /** Cells whose calls have no known price. */
  unpriced: number;
  /** The mean over the rows with a latency. */
  latencyMs: number | null;
}

const READ_TOTALS = new Statement<RunTotals>(`
  SELECT sum(cost) AS cost, coalesce(sum(unpriced), 0)::int AS unpriced, avg(latency) AS "latencyMs" FROM (
    SELECT sum(cost) AS cost, sum("latencyMs") AS latency, count(*) FILTER (WHERE calls > 0 AND cost IS NULL) AS unpriced FROM (
      ${atVersion(`row_index, ${METRICS}, (metrics ->> 'request_count')::float8 AS calls`, `${OF_COLUMNS} AND metrics IS NOT NULL`, '$3')}) cell
     GROUP BY row_index) per_row`);

/** Sums over all rows of computed columns. */
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

/** Reads the results of the steps of a calculation in some rows. */
export async function readSteps(
  tx: EntityManager,
  { workspaceId, id }: Calculation,
  rows: number[],
): Promise<Map<number, StoredStep[]>> {
  const found = await READ_STEPS.run(tx, [workspaceId, id, int4Array(rows)]);
  return new Map(found.map(({ row, steps }) => [row, steps]));
}
