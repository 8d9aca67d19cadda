import type { EntityManager } from 'typeorm';
import { readJson } from '../../platform/read-json.js';
import {
  boolArray,
  hexByteaArray,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
} from '../../platform/database/binary-arrays.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import type { JsonValue } from '../../platform/json.js';
import type { RowRange } from '../shared/row-set.js';
import type { CellAddress } from '../shared/cell-id.js';
import type { CellMetrics } from '../column-type/cell-metrics.js';

/** A part of the grid: some columns over a range of rows. */
export interface GridRange {
  workspaceId: number;
  columnKeys: string[];
  rows: RowRange;
}

export interface CellRecord {
  columnKey: string;
  rowIndex: number;
  version: number;
  /** Milliseconds since the epoch. */
  updatedMs: number;
  executionId: string | null;
  /** In hex. */
  inputHash: string | null;
  /** JSON text: most readers only pass it on. */
  value: string | null;
  displayValue: string | null;
  error: string | null;
  /** Cost and time of computing it, as the JSON text of `CellMetrics`. */
  metrics: string | null;
}

const IN_RANGE = 'workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4';

function rangeParameters({ workspaceId, columnKeys, rows }: GridRange): unknown[] {
  return [workspaceId, int8Array(columnKeys.map(Number)), rows.from, rows.to];
}

/** The fields of a record that `cells` and `cell_history` share. Times are numbers: making thousands of Dates takes long. */
export const CELL_CONTENT = `date_part('epoch', updated_at) * 1000 AS "updatedMs", execution_id AS "executionId",
  encode(input_hash, 'hex') AS "inputHash", value::text AS value, display_value AS "displayValue", error,
  metrics::text AS metrics`;

const READ = new Statement<CellRecord>(`
  SELECT column_key AS "columnKey", row_index AS "rowIndex", version, ${CELL_CONTENT} FROM cells WHERE ${IN_RANGE}`);

/** Every stored cell of the range, in no particular order. */
export function readCells(tx: EntityManager, range: GridRange): Promise<CellRecord[]> {
  return READ.run(tx, rangeParameters(range));
}

const READ_ROWS = new Statement<CellRecord>(`
  SELECT column_key AS "columnKey", row_index AS "rowIndex", version, ${CELL_CONTENT} FROM cells
   WHERE workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index = ANY($3::int[])`);

/** The same for rows that may be far apart. */
export function readCellsOfRows(
  tx: EntityManager,
  { workspaceId, columnKeys, rows }: { workspaceId: number; columnKeys: string[]; rows: number[] },
): Promise<CellRecord[]> {
  return READ_ROWS.run(tx, [workspaceId, int8Array(columnKeys.map(Number)), int4Array(rows)]);
}

/** OFFSET keeps this one index lookup per cell; a join of a table without statistics may read all of it. */
const READ_SINGLE = new Statement<CellRecord>(`
  SELECT found.* FROM unnest($2::bigint[], $3::int[]) a (key, row), LATERAL (
    SELECT column_key AS "columnKey", row_index AS "rowIndex", version, ${CELL_CONTENT} FROM cells
     WHERE workspace_id = $1 AND column_key = a.key AND row_index = a.row OFFSET 0) found`);

/** Reads the stored ones of these cells, in no particular order. They may be far apart. */
export async function readSingleCells(
  tx: EntityManager,
  workspaceId: number,
  cells: CellAddress[],
): Promise<CellRecord[]> {
  const keys = int8Array(cells.map((cell) => Number(cell.columnKey)));
  return READ_SINGLE.run(tx, [workspaceId, keys, int4Array(cells.map((cell) => cell.rowIndex))]);
}

/** The value of a record, parsed. */
export function valueOf(record: CellRecord | undefined): JsonValue {
  return record && record.value !== null ? readJson(record.value) : null;
}

export type SourceCell = Pick<CellRecord, 'columnKey' | 'rowIndex' | 'error'> & { value: JsonValue };

const READ_SOURCES = new Statement<SourceCell>(
  `SELECT column_key AS "columnKey", row_index AS "rowIndex", value, error FROM cells WHERE ${IN_RANGE}`,
);

/** Reads only the fields that a computation needs. Pair several columns in memory: a join gets bad plans. */
export function sourceCellsStep(range: GridRange): Step<SourceCell> {
  return READ_SOURCES.with(rangeParameters(range));
}

const READ_HASHES = new Statement<{ row: number; hash: string | null }>(
  `SELECT row_index AS row, encode(input_hash, 'hex') AS hash FROM cells WHERE ${IN_RANGE}`,
);

/** Reads the input hashes of a column by row, in hex; null after a failure. */
export function inputHashesStep(range: GridRange): Step<{ row: number; hash: string | null }> {
  return READ_HASHES.with(rangeParameters(range));
}

const SIZE = 'pg_column_size(value)';

const SIZE_OF_INPUTS = new Statement<{ bytes: number }>(
  `SELECT coalesce(sum(${SIZE}), 0)::float8 AS bytes FROM cells WHERE ${IN_RANGE}`,
);

const FIRST_BEYOND = new Statement<{ row: number | null }>(`
  SELECT min(row_index) AS row FROM (
    SELECT row_index, sum(sum(${SIZE})) OVER (ORDER BY row_index) AS total FROM cells WHERE ${IN_RANGE} GROUP BY row_index) sizes
   WHERE total > $5 AND row_index > $3`);

export interface InputSize {
  bytes: number;
  /** The row to stop before. */
  end: number;
}

/**
 * Measures the values of a range, and the row up to which they fit into `most` bytes: at least one row. It reads sizes
 * only, which are exact because values are stored uncompressed.
 */
export async function measureInputs(tx: EntityManager, range: GridRange, most: number): Promise<InputSize> {
  const { to: end } = range.rows;
  if (range.columnKeys.length === 0) return { bytes: 0, end };
  const [size] = await SIZE_OF_INPUTS.run(tx, rangeParameters(range));
  const { bytes } = size!;
  if (bytes <= most) return { bytes, end };
  const [beyond] = await FIRST_BEYOND.run(tx, [...rangeParameters(range), most]);
  return { bytes, end: beyond?.row ?? end };
}

/** Rows whose cells in these columns exceed a number of bytes together. */
export async function readOversizedRows(tx: EntityManager, range: GridRange, bytes: number): Promise<number[]> {
  const rows = await tx.query<{ row: number }[]>(
    `SELECT row_index AS row FROM cells WHERE ${IN_RANGE} GROUP BY row_index HAVING sum(${SIZE}) > $5`,
    [...rangeParameters(range), bytes],
  );
  return rows.map(({ row }) => row);
}

/** Rows in which at least one of the columns holds something other than null or the empty text. */
export async function readFilledRows(tx: EntityManager, range: GridRange): Promise<number[]> {
  const rows = await tx.query<{ row: number }[]>(
    `SELECT DISTINCT row_index AS row FROM cells WHERE ${IN_RANGE} AND value IS NOT NULL AND value NOT IN ('null', '""')`,
    rangeParameters(range),
  );
  return rows.map(({ row }) => row);
}

/** Rows in which one of the columns changed after a version. */
export async function readChangedRows(tx: EntityManager, range: GridRange, since: number): Promise<number[]> {
  const rows = await tx.query<{ row: number }[]>(
    `SELECT DISTINCT row_index AS row FROM cells WHERE ${IN_RANGE} AND version > $5`,
    [...rangeParameters(range), since],
  );
  return rows.map(({ row }) => row);
}

const DIFFERENT = new Statement<{ row: number }>(`
  SELECT DISTINCT i.row FROM unnest($2::bigint[], $3::int[], $4::jsonb[], $5::boolean[]) i (key, row, value, failed)
    LEFT JOIN cells c ON c.workspace_id = $1 AND c.column_key = i.key AND c.row_index = i.row
   WHERE (c.error IS NOT NULL) <> i.failed OR (NOT i.failed AND c.value IS DISTINCT FROM i.value)`);

/** Rows in which writing these cells would change values for their readers. The order of keys does not matter. */
export async function readDifferentRows(tx: EntityManager, workspaceId: number, cells: NewCell[]): Promise<number[]> {
  const rows = await DIFFERENT.run(tx, [
    workspaceId,
    int8Array(cells.map((cell) => Number(cell.columnKey))),
    int4Array(cells.map((cell) => cell.rowIndex)),
    jsonbArray(cells.map(storedValue)),
    boolArray(cells.map((cell) => Boolean(cell.error))),
  ]);
  return rows.map(({ row }) => row);
}

export interface NewCell {
  columnKey: string;
  rowIndex: number;
  /** null clears the cell. */
  value: JsonValue;
  /** null where it is the text form of the value. */
  displayValue?: string | null;
  /** In hex. */
  inputHash?: string | null;
  /** Set when computing the cell failed: its last good value is then kept and `value` ignored. */
  error?: string | null;
  /** Cost and time of computing it; null when it cost nothing. */
  metrics?: CellMetrics | null;
}

export interface CellWrite {
  workspaceId: number;
  /** The sheet version this write belongs to. */
  version: number;
  executionId: string | null;
  /** False when none of the cells can exist yet: the history then needs no lookup. */
  mayReplace: boolean;
}

/** The history of cells, and the columns of a cell `c` that go there when version `to` replaces it. */
export const CELL_HISTORY = `cell_history (workspace_id, column_key, row_index, version_from, version_to, updated_at, execution_id,
                input_hash, value, display_value, error, metrics)`;
export const pastOf = (
  c: string,
  to: string,
): string => `${c}.workspace_id, ${c}.column_key, ${c}.row_index, ${c}.version, ${to},
  ${c}.updated_at, ${c}.execution_id, ${c}.input_hash, ${c}.value, ${c}.display_value, ${c}.error, ${c}.metrics`;

const INCOMING = `
  incoming AS MATERIALIZED (
    SELECT * FROM unnest($4::bigint[], $5::int[], $6::jsonb[], $7::text[], $8::bytea[], $9::text[], $10::jsonb[])
      AS i (column_key, row_index, value, display_value, input_hash, error, metrics))`;

const COLUMNS =
  'workspace_id, column_key, row_index, version, execution_id, input_hash, value, display_value, error, metrics';

/** A failure keeps the last good value. */
const WRITE = `
  INSERT INTO cells AS c (${COLUMNS})
  SELECT $1, column_key, row_index, $2, $3::uuid, input_hash, value, display_value, error, metrics FROM incoming
  ON CONFLICT (workspace_id, column_key, row_index) DO UPDATE SET
    version = excluded.version, execution_id = excluded.execution_id, updated_at = excluded.updated_at,
    input_hash = excluded.input_hash, error = excluded.error, metrics = excluded.metrics,
    value = CASE WHEN excluded.error IS NULL THEN excluded.value ELSE c.value END,
    display_value = CASE WHEN excluded.error IS NULL THEN excluded.display_value ELSE c.display_value END`;

/** None of the cells exists yet. One that does is replaced without a history. */
const WRITE_NEW = new Statement(`WITH ${INCOMING} ${WRITE}`);

/**
 * The old state goes to the history once per version, because nobody could read a state between two writes of a
 * version. The sheet is locked, so nobody else changes the cells meanwhile.
 */
const writeOver = (found: string) =>
  new Statement(`
  WITH ${INCOMING}, archived AS (
    INSERT INTO ${CELL_HISTORY} SELECT ${pastOf('replaced', '$2')}
      FROM ${found} WHERE version < $2
  ) ${WRITE}`);

/** OFFSET keeps this one index lookup per cell; a join of a table without statistics may read all of it. */
const WRITE_OVER = writeOver(`(
  SELECT old.* FROM incoming i, LATERAL (
    SELECT * FROM cells
     WHERE workspace_id = $1 AND column_key = i.column_key AND row_index = i.row_index OFFSET 0) old) AS replaced`);

/** For the cells of a column in one range of rows: reading the range is faster than looking them up one by one. */
const WRITE_OVER_RUN = writeOver(`(
  SELECT * FROM cells
   WHERE workspace_id = $1 AND column_key = $11 AND row_index >= $12 AND row_index < $13) AS replaced`);

/** Cells encoded for sending. Encoding takes a while, so do it before a sheet is locked. */
export class EncodedCells {
  readonly parameters: Buffer[];
  /** Set when they are all cells of a column in a range of rows. */
  readonly run: { columnKey: string; rows: RowRange } | null;

  constructor(cells: NewCell[]) {
    this.run = runOf(cells);
    this.parameters = [
      int8Array(cells.map((cell) => Number(cell.columnKey))),
      int4Array(cells.map((cell) => cell.rowIndex)),
      jsonbArray(cells.map(storedValue)),
      textArray(cells.map((cell) => cell.displayValue)),
      hexByteaArray(cells.map((cell) => cell.inputHash)),
      textArray(cells.map((cell) => cell.error)),
      jsonbArray(cells.map(({ metrics }) => (metrics ? JSON.stringify(metrics) : null))),
    ];
  }
}

/** Writes cells in one statement and moves their previous content to the history. The sheet must be locked. */
export async function writeCells(tx: EntityManager, write: CellWrite, cells: NewCell[] | EncodedCells): Promise<void> {
  if (Array.isArray(cells) && cells.length === 0) return;
  const { parameters, run } = Array.isArray(cells) ? new EncodedCells(cells) : cells;
  const values = [write.workspaceId, write.version, write.executionId, ...parameters];
  if (!write.mayReplace) await WRITE_NEW.run(tx, values);
  else if (run) await WRITE_OVER_RUN.run(tx, [...values, run.columnKey, run.rows.from, run.rows.to]);
  else await WRITE_OVER.run(tx, values);
}

function runOf(cells: NewCell[]): EncodedCells['run'] {
  const [first] = cells;
  if (!first) return null;
  const { columnKey, rowIndex: from } = first;
  const isRun = cells.every((cell, index) => cell.columnKey === columnKey && cell.rowIndex === from + index);
  return isRun ? { columnKey, rows: { from, to: from + cells.length } } : null;
}

/** JSON text; null when there is nothing to store. */
function storedValue({ value, error }: NewCell): string | null {
  return value === null || error ? null : JSON.stringify(value);
}
