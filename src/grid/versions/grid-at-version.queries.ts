import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { CELL_CONTENT, type CellRecord, type GridRange } from '../cells/cells.queries.js';
import { LIGHT_CONTENT, type LightRecord } from '../cells/large-values.js';
import { type ChunkRow, ChunkStates } from '../states/chunk-states.js';
import { type ColumnRow, type ColumnsWithEdges, LIVE_COLUMNS, toColumns } from '../columns/columns.queries.js';
import { chunkOf } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';

/** Reads the grid at version `$5`: a row that is at most this old is current, any other one is in the history. */
const IN_RANGE = 'workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index >= $3 AND row_index < $4';
const since = (version: string) => `version <= ${version}`;
const during = (version: string) => `version_from <= ${version} AND version_to > ${version}`;
const SINCE = since('$5');
const DURING = during('$5');

const readContent = (content: string, where: string, at: string) => `
  SELECT column_key AS "columnKey", row_index AS "rowIndex", version, ${content} FROM cells WHERE ${where} AND ${since(at)}
  UNION ALL
  SELECT column_key, row_index, version_from, ${content} FROM cell_history WHERE ${where} AND ${during(at)}`;

const IN_ROWS = 'workspace_id = $1 AND column_key = ANY($2::bigint[]) AND row_index = ANY($3::int[])';

const READ_CELLS = new Statement<CellRecord>(readContent(CELL_CONTENT, IN_RANGE, '$5'));
const READ_LIGHT_CELLS = new Statement<LightRecord>(readContent(LIGHT_CONTENT, IN_ROWS, '$4'));

/** The cells of a range as they were at a version, in no particular order. */
export function readCellsAt(tx: EntityManager, range: GridRange, version: number): Promise<CellRecord[]> {
  const { workspaceId, columnKeys, rows } = range;
  return READ_CELLS.run(tx, [workspaceId, columnKeys, rows.from, rows.to, version]);
}

/** The same without large contents, for rows that may be far apart. */
export function readLightCellsAt(tx: EntityManager, part: GridRows, version: number): Promise<LightRecord[]> {
  const { workspaceId, columnKeys, rows } = part;
  return READ_LIGHT_CELLS.run(tx, [workspaceId, columnKeys, rows, version]);
}

/** Some columns of rows that may be far apart. */
export type GridRows = Omit<GridRange, 'rows'> & { rows: number[] };

const SIZE = `coalesce(pg_column_size(value), 0) + coalesce(pg_column_size(display_value), 0)
  + coalesce(pg_column_size(error), 0)`;

const SIZES_AT = `
    SELECT row_index, sum(size) AS size FROM (
      SELECT row_index, ${SIZE} AS size FROM cells WHERE ${IN_RANGE} AND ${SINCE}
      UNION ALL
      SELECT row_index, ${SIZE} FROM cell_history WHERE ${IN_RANGE} AND ${DURING}) AS cell
    GROUP BY row_index`;

const rowSizes = (where: string) =>
  `SELECT row_index AS row, sum(${SIZE})::float8 AS bytes FROM cells WHERE ${where} GROUP BY row_index`;
const READ_SIZES = new Statement<RowSize>(rowSizes(IN_RANGE));
const READ_SIZES_OF_ROWS = new Statement<RowSize>(rowSizes(IN_ROWS));
const READ_SIZES_AT = new Statement<RowSize>(`SELECT row_index AS row, size::float8 AS bytes FROM (${SIZES_AT}) sizes`);

/** How many bytes the cells of a row hold. */
export interface RowSize {
  row: number;
  bytes: number;
}

/** The sizes of non-empty rows, at a version or now. Only sizes are read. */
export function readRowSizes(tx: EntityManager, range: GridRange, version: number | null): Promise<RowSize[]> {
  const { workspaceId, columnKeys, rows } = range;
  const parameters = [workspaceId, columnKeys, rows.from, rows.to];
  return version === null ? READ_SIZES.run(tx, parameters) : READ_SIZES_AT.run(tx, [...parameters, version]);
}

/** The same for rows that may be far apart, as they are now. */
export function readSizesOfRows(tx: EntityManager, { workspaceId, columnKeys, rows }: GridRows): Promise<RowSize[]> {
  return READ_SIZES_OF_ROWS.run(tx, [workspaceId, columnKeys, rows]);
}

const FIRST_BEYOND = new Statement<{ row: number | null }>(`
  WITH sizes AS (${SIZES_AT}), running AS (
    SELECT row_index, sum(size) OVER (ORDER BY row_index) AS total FROM sizes
  )
  SELECT min(row_index) AS row FROM running WHERE total > $6 AND row_index > $3`);

/**
 * The row at which a reader of a version stops within a number of bytes of content, from the first row of a range. At
 * least one row. Only sizes are read, not cells of megabytes.
 */
export async function endWithinBytes(
  tx: EntityManager,
  range: GridRange,
  version: number,
  bytes: number,
): Promise<number> {
  const { workspaceId, columnKeys, rows } = range;
  const [beyond] = await FIRST_BEYOND.run(tx, [workspaceId, columnKeys, rows.from, rows.to, version, bytes]);
  return beyond?.row ?? rows.to;
}

const IN_CHUNKS = 'workspace_id = $1 AND column_key = ANY($2::bigint[]) AND chunk_no >= $3 AND chunk_no < $4';

const READ_CHUNKS = new Statement<ChunkRow>(`
  SELECT column_key AS "columnKey", chunk_no AS "chunkNo", stale, failed FROM column_chunks
   WHERE ${IN_CHUNKS} AND ${SINCE}
  UNION ALL
  SELECT column_key, chunk_no, stale, failed FROM column_chunk_history WHERE ${IN_CHUNKS} AND ${DURING}`);

/** The stale and failed cells of a range at a version. */
export async function readStatesAt(tx: EntityManager, range: GridRange, version: number): Promise<ChunkStates> {
  const { workspaceId, columnKeys, rows } = range;
  if (columnKeys.length === 0 || rows.from >= rows.to) return ChunkStates.of(workspaceId, []);
  const chunks = [chunkOf(rows.from), chunkOf(rows.to - 1) + 1];
  return ChunkStates.of(workspaceId, await READ_CHUNKS.run(tx, [workspaceId, columnKeys, ...chunks, version]));
}

const READ_COLUMNS = `
  ${LIVE_COLUMNS} AND c.version <= $3
  UNION ALL
  SELECT c.workspace_id, c.id, c.key, c.sheet_id, c.owner, h.title, h.type, h.config, c.guard, h.position_rank, h.is_output_column,
         h.version_from, c.created_at, coalesce(v.created_at, c.created_at), h.edges
    FROM column_history h
    JOIN sheet_columns c ON c.workspace_id = h.workspace_id AND c.id = h.column_id
    LEFT JOIN sheet_versions v ON v.workspace_id = h.workspace_id AND v.sheet_id = h.sheet_id AND v.number = h.version_from
   WHERE h.workspace_id = $1 AND h.sheet_id = $2 AND h.version_from <= $3 AND h.version_to > $3
   ORDER BY "positionRank", key`;

/** The columns of a sheet at a version in the order they were shown, with their edges. */
export async function readColumnsAt(
  tx: EntityManager,
  sheet: Pick<Sheet, 'workspaceId' | 'id'>,
  version: number,
): Promise<ColumnsWithEdges> {
  return toColumns(await tx.query<ColumnRow[]>(READ_COLUMNS, [sheet.workspaceId, sheet.id, version]));
}
