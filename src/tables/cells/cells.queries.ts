import type { EntityManager } from 'typeorm';
import {
  boolArray,
  hexByteaArray,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
} from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import type { JsonValue } from '../../platform/json.js';
import type { RowRange } from '../rows/row-set.js';

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
  inputHash: Buffer | null;
  value: JsonValue;
  displayValue: string | null;
  error: string | null;
}

const IN_RANGE = 'workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4';

function rangeParameters({ workspaceId, columnKeys, rows }: GridRange): unknown[] {
  return [workspaceId, columnKeys, rows.from, rows.to];
}

/** A number, because a page has thousands of them and making a Date of each takes longer than reading the page. */
export const UPDATED_MS = '(extract(epoch FROM updated_at) * 1000)::float8 AS "updatedMs"';

/** Every stored cell of the range, in no particular order. */
export function readCells(tx: EntityManager, range: GridRange): Promise<CellRecord[]> {
  return tx.query<CellRecord[]>(
    `SELECT column_key AS "columnKey", row_index AS "rowIndex", version, ${UPDATED_MS},
            execution_id AS "executionId", input_hash AS "inputHash", value, display_value AS "displayValue", error
       FROM cells WHERE ${IN_RANGE}`,
    rangeParameters(range),
  );
}

export type SourceCell = Pick<CellRecord, 'columnKey' | 'rowIndex' | 'value' | 'error'>;

/** Only what a computation reads. Whoever needs several columns pairs them in memory: a join picks bad plans. */
export function readSourceCells(tx: EntityManager, range: GridRange): Promise<SourceCell[]> {
  return tx.query<SourceCell[]>(
    `SELECT column_key AS "columnKey", row_index AS "rowIndex", value, error FROM cells WHERE ${IN_RANGE}`,
    rangeParameters(range),
  );
}

/** What the stored results of a column were computed from: row → input hash in hex (null after a failure). */
export async function readInputHashes(tx: EntityManager, range: GridRange): Promise<Map<number, string | null>> {
  const rows = await tx.query<{ row: number; hash: string | null }[]>(
    `SELECT row_index AS row, encode(input_hash, 'hex') AS hash FROM cells WHERE ${IN_RANGE}`,
    rangeParameters(range),
  );
  return new Map(rows.map(({ row, hash }) => [row, hash]));
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
  SELECT i.row FROM unnest($3::int[], $4::jsonb[], $5::boolean[]) i (row, value, failed)
    LEFT JOIN cells c ON c.workspace_id = $1 AND c.column_key = $2 AND c.row_index = i.row
   WHERE (c.error IS NOT NULL) <> i.failed OR (NOT i.failed AND c.value IS DISTINCT FROM i.value)`);

/** Rows in which writing the cells of a column would change what its readers see. The order of keys is no difference. */
export async function readDifferentRows(
  tx: EntityManager,
  workspaceId: number,
  columnKey: string,
  cells: NewCell[],
): Promise<number[]> {
  const rows = await DIFFERENT.run(tx, [
    workspaceId,
    columnKey,
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
}

export interface CellWrite {
  workspaceId: number;
  /** The sheet version this write belongs to. */
  version: number;
  executionId: string | null;
  /** False when none of the cells can exist yet: nothing has to be looked up for the history then. */
  mayReplace: boolean;
}

const INCOMING = `
  incoming AS MATERIALIZED (
    SELECT * FROM unnest($4::bigint[], $5::int[], $6::jsonb[], $7::text[], $8::bytea[], $9::text[])
      AS i (column_key, row_index, value, display_value, input_hash, error))`;

const COLUMNS = 'workspace_id, column_key, row_index, version, execution_id, input_hash, value, display_value, error';

/** None of the cells is there yet; should one be after all, it is replaced without a trace. */
const WRITE_NEW = new Statement(`
  WITH ${INCOMING}
  INSERT INTO cells (${COLUMNS})
  SELECT $1, column_key, row_index, $2, $3::uuid, input_hash, value, display_value, error FROM incoming
  ON CONFLICT (workspace_id, column_key, row_index) DO UPDATE SET
    version = excluded.version, execution_id = excluded.execution_id, updated_at = now(),
    input_hash = excluded.input_hash, value = excluded.value, display_value = excluded.display_value,
    error = excluded.error`);

/**
 * The old state goes to the history, once per version: a cell written twice in one version was never seen in between.
 * Cells are looked up once; they stay where they are (`place`) while their sheet is locked. A failure keeps the last
 * good value.
 */
const WRITE_OVER = new Statement(`
  WITH ${INCOMING},
  found AS MATERIALIZED (
    SELECT i.*, c.ctid AS place, c.version AS old_version, c.updated_at AS old_updated_at,
           c.execution_id AS old_execution_id, c.input_hash AS old_input_hash, c.value AS old_value,
           c.display_value AS old_display_value, c.error AS old_error
      FROM incoming i
      LEFT JOIN LATERAL (
        -- OFFSET keeps this one look into the index per cell; a join of a table without statistics may read all of it.
        SELECT *, ctid FROM cells
         WHERE workspace_id = $1 AND column_key = i.column_key AND row_index = i.row_index OFFSET 0) c ON true
  ), archived AS (
    INSERT INTO cell_history (workspace_id, column_key, row_index, version_from, version_to, updated_at, execution_id,
                              input_hash, value, display_value, error)
    SELECT $1, column_key, row_index, old_version, $2, old_updated_at, old_execution_id, old_input_hash, old_value,
           old_display_value, old_error
      FROM found WHERE old_version < $2
  ), replaced AS (
    UPDATE cells c SET
      version = $2, execution_id = $3::uuid, updated_at = now(), input_hash = f.input_hash, error = f.error,
      value = CASE WHEN f.error IS NULL THEN f.value ELSE c.value END,
      display_value = CASE WHEN f.error IS NULL THEN f.display_value ELSE c.display_value END
      FROM found f WHERE c.workspace_id = $1 AND c.ctid = f.place
  )
  INSERT INTO cells (${COLUMNS})
  SELECT $1, column_key, row_index, $2, $3::uuid, input_hash, value, display_value, error
    FROM found WHERE place IS NULL`);

/** Cells in the form in which they are sent. Making it takes a while, so do it before a sheet is locked. */
export class EncodedCells {
  readonly parameters: Buffer[];

  constructor(cells: NewCell[]) {
    this.parameters = [
      int8Array(cells.map((cell) => Number(cell.columnKey))),
      int4Array(cells.map((cell) => cell.rowIndex)),
      jsonbArray(cells.map(storedValue)),
      textArray(cells.map((cell) => cell.displayValue)),
      hexByteaArray(cells.map((cell) => cell.inputHash)),
      textArray(cells.map((cell) => cell.error)),
    ];
  }
}

/** Writes cells in one statement and keeps what they were in the history. The sheet must be locked. */
export async function writeCells(tx: EntityManager, write: CellWrite, cells: NewCell[] | EncodedCells): Promise<void> {
  if (Array.isArray(cells) && cells.length === 0) return;
  const { parameters } = Array.isArray(cells) ? new EncodedCells(cells) : cells;
  const statement = write.mayReplace ? WRITE_OVER : WRITE_NEW;
  await statement.run(tx, [write.workspaceId, write.version, write.executionId, ...parameters]);
}

/** As JSON text; null where nothing is stored. */
function storedValue({ value, error }: NewCell): string | null {
  return value === null || error ? null : JSON.stringify(value);
}
