import type { EntityManager } from 'typeorm';
import { int4Array } from '../../platform/database/binary-arrays.js';
import { CELL_HISTORY, pastOf } from './cells.queries.js';
import type { RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';

const OLD = pastOf('c', '$3');

/** An index scan per column and chunk, so that scattered rows and solid blocks read only these chunks. */
const DROP = `
  WITH gone AS (
    DELETE FROM cells c USING unnest($2::bigint[]) k (key), unnest($4::int[], $5::int[]) h (first, last)
     WHERE c.workspace_id = $1 AND c.column_key = k.key AND c.row_index BETWEEN h.first AND h.last
       AND c.row_index <@ $6::int4multirange
    RETURNING c.*)
  INSERT INTO ${CELL_HISTORY} SELECT ${OLD} FROM gone c WHERE c.version < $3`;

/** Moves the cells of deleted rows to the history. A reused index starts blank. */
export async function dropRows(tx: EntityManager, sheet: Sheet, columnKeys: string[], rows: RowSet): Promise<void> {
  const hulls = hullsOf(rows);
  const [first, last] = [int4Array(hulls.map((hull) => hull.first)), int4Array(hulls.map((hull) => hull.last))];
  for (const keys of columnsPerStatement(columnKeys, rows.count)) {
    await tx.query(DROP, [sheet.workspaceId, keys, sheet.version, first, last, rows.toString()]);
  }
}

/** Batch size. It keeps a statement within its time limit: a few seconds, even when all of the cells are moved. */
const CELLS_PER_STATEMENT = 500_000;

/** Splits columns into groups of which one statement can move this many rows. */
export function* columnsPerStatement(columnKeys: string[], rowCount: number): Generator<string[]> {
  const size = Math.max(1, Math.floor(CELLS_PER_STATEMENT / Math.max(1, rowCount)));
  for (let start = 0; start < columnKeys.length; start += size) yield columnKeys.slice(start, start + size);
}

function hullsOf(rows: RowSet): { first: number; last: number }[] {
  return rows.chunks().map((chunkNo) => {
    const { ranges } = rows.inChunk(chunkNo);
    return { first: ranges[0]!.from, last: ranges.at(-1)!.to - 1 };
  });
}

const clearing = (what: string, changes: string) => `
  WITH archived AS (
    INSERT INTO ${CELL_HISTORY} SELECT ${OLD} FROM cells c
     WHERE c.workspace_id = $1 AND c.column_key = $2 AND ${what} AND c.version < $3)
  UPDATE cells c SET version = $3, updated_at = now(), error = NULL ${changes}
   WHERE c.workspace_id = $1 AND c.column_key = $2 AND ${what}`;

const CLEAR_VALUES = clearing(
  '(c.value IS NOT NULL OR c.display_value IS NOT NULL OR c.error IS NOT NULL)',
  ', value = NULL, display_value = NULL, input_hash = NULL, execution_id = NULL, metrics = NULL',
);
const CLEAR_ERRORS = clearing('c.error IS NOT NULL', '');

/** Empties every cell of a column. The rows stay, so that running computations notice the change. */
export async function clearValues(tx: EntityManager, sheet: Sheet, columnKey: string): Promise<void> {
  await tx.query(CLEAR_VALUES, [sheet.workspaceId, columnKey, sheet.version]);
}

/** Clears the errors of a column's cells. Their last good values stay. */
export async function clearErrors(tx: EntityManager, sheet: Sheet, columnKey: string): Promise<void> {
  await tx.query(CLEAR_ERRORS, [sheet.workspaceId, columnKey, sheet.version]);
}
