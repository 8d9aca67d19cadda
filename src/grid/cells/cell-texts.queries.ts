import type { EntityManager } from 'typeorm';
import { int4Array, int8Array } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { textOf } from '../../platform/filters/json-value-sql.js';
import type { GridRange } from './cells.queries.js';

/** Characters of a cell that a grid shows. */
export const TEXT_LENGTH = 200;
/** Maximum size of values that are read, in bytes as stored: the first characters of a value take reading all of it. */
const LONGEST_READ = 1024 * 1024;

/** The beginning of a cell's text; null for an empty cell. */
export interface CellText {
  columnKey: string;
  rowIndex: number;
  text: string | null;
}

const CONTENT = `column_key AS "columnKey", row_index AS "rowIndex",
  CASE WHEN display_value IS NOT NULL THEN substr(display_value, 1, ${TEXT_LENGTH})
       WHEN pg_column_size(value) > ${LONGEST_READ} THEN '…'
       ELSE substr(${textOf('value')}, 1, ${TEXT_LENGTH}) END AS text`;

const OF_COLUMNS = 'workspace_id = $1 AND column_key = ANY($2::bigint[])';
const IN_RANGE = `${OF_COLUMNS} AND row_index >= $3 AND row_index < $4`;

const READ = new Statement<CellText>(`SELECT ${CONTENT} FROM cells WHERE ${IN_RANGE}`);
const READ_OF_ROWS = new Statement<CellText>(
  `SELECT ${CONTENT} FROM cells WHERE ${OF_COLUMNS} AND row_index = ANY($3::int[])`,
);
const READ_AT = new Statement<CellText>(`
  SELECT ${CONTENT} FROM cells WHERE ${IN_RANGE} AND version <= $5
  UNION ALL
  SELECT ${CONTENT} FROM cell_history WHERE ${IN_RANGE} AND version_from <= $5 AND version_to > $5`);

/** The texts of the stored cells of a range, or only of some rows in it, in no particular order. */
export function readCellTexts(tx: EntityManager, range: GridRange & { single?: number[] }): Promise<CellText[]> {
  const columns = [range.workspaceId, int8Array(range.columnKeys.map(Number))];
  if (range.single) return READ_OF_ROWS.run(tx, [...columns, int4Array(range.single)]);
  return READ.run(tx, [...columns, range.rows.from, range.rows.to]);
}

/** The same as they were at a version. */
export function readCellTextsAt(tx: EntityManager, range: GridRange, version: number): Promise<CellText[]> {
  const { workspaceId, columnKeys, rows } = range;
  return READ_AT.run(tx, [workspaceId, int8Array(columnKeys.map(Number)), rows.from, rows.to, version]);
}
