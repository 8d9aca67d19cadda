import type { EntityManager } from 'typeorm';
import { CELL_HISTORY, pastOf } from '../cells/cells.queries.js';
import { RowSet } from '../shared/row-set.js';
import type { MirrorSheet } from '../shared/changed-sources.js';

/** The source of a composition column as it is now. */
export interface MirrorSource {
  /** Version of its sheet. */
  version: number;
  /** Whether a running operation may store more results in this version. */
  isOpen: boolean;
  rows: RowSet;
  columnKey: string;
  title: string;
}

/** A column that mirrors another, and the version of the source sheet it shows. */
export interface Mirror {
  columnId: string;
  columnKey: string;
  sourceSheetId: string;
  sourceColumnId: string;
  seenVersion: number | null;
  /** Whether the sheet has got rows in which the source was not read yet. */
  hasUnreadRows: boolean;
}

/** Stands for the version of a deleted source. */
export const SOURCE_GONE = -1;

const LIVE_SOURCE = `
  sheets s
    JOIN tables t ON t.workspace_id = s.workspace_id AND t.id = s.table_id AND t.deleted_at IS NULL
    JOIN sheet_columns c ON c.workspace_id = s.workspace_id AND c.sheet_id = s.id AND c.deleted_at IS NULL`;

/** null when the column, its sheet or its table was deleted. */
export async function readSource(tx: EntityManager, workspaceId: number, mirror: Mirror): Promise<MirrorSource | null> {
  const [source] = await tx.query<(Omit<MirrorSource, 'rows'> & { rows: string })[]>(
    `SELECT s.version, s.rows, c.key AS "columnKey", c.title, EXISTS (
              SELECT FROM executions e WHERE e.workspace_id = $1 AND e.sheet_id = s.id
                 AND e.finished_at IS NULL AND e.version = s.version) AS "isOpen"
       FROM ${LIVE_SOURCE}
      WHERE s.workspace_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND c.id = $3`,
    [workspaceId, mirror.sourceSheetId, mirror.sourceColumnId],
  );
  return source ? { ...source, rows: RowSet.parse(source.rows) } : null;
}

/** Cells of the column `own` are stale in new rows until its source is read, even if the source is not stale there. */
const hasUnreadRows = (workspace: string): string => `EXISTS (
  SELECT FROM column_chunks mine
    JOIN sheet_columns source ON source.workspace_id = ${workspace} AND source.id = l.source_column_id
    LEFT JOIN column_chunks theirs ON theirs.workspace_id = ${workspace} AND theirs.column_key = source.key
     AND theirs.chunk_no = mine.chunk_no
   WHERE mine.workspace_id = ${workspace} AND mine.column_key = own.key
     AND NOT isempty(mine.stale) AND NOT isempty(mine.stale - coalesce(theirs.stale, '{}')))`;

/** The columns of a sheet that mirror others, outdated or not. */
export function readMirrors(tx: EntityManager, workspaceId: number, sheetId: string): Promise<Mirror[]> {
  return tx.query<Mirror[]>(
    `SELECT l.column_id AS "columnId", own.key AS "columnKey", l.source_sheet_id AS "sourceSheetId",
            l.source_column_id AS "sourceColumnId", l.seen_version AS "seenVersion", ${hasUnreadRows('$1')} AS "hasUnreadRows"
       FROM composition_links l JOIN sheet_columns own ON own.workspace_id = l.workspace_id AND own.id = l.column_id
      WHERE l.workspace_id = $1 AND l.sheet_id = $2 AND own.deleted_at IS NULL ORDER BY own.position_rank`,
    [workspaceId, sheetId],
  );
}

export async function rememberSeen(tx: EntityManager, workspaceId: number, columnId: string, version: number) {
  await tx.query('UPDATE composition_links SET seen_version = $3 WHERE workspace_id = $1 AND column_id = $2', [
    workspaceId,
    columnId,
    version,
  ]);
}

/** The rows a sheet had at a version; none before its first. */
export async function readRowsAt(
  tx: EntityManager,
  workspaceId: number,
  sheetId: string,
  version: number | null,
): Promise<RowSet> {
  const [found] = await tx.query<{ rows: string }[]>(
    'SELECT rows FROM sheet_versions WHERE workspace_id = $1 AND sheet_id = $2 AND number = $3',
    [workspaceId, sheetId, version],
  );
  return found ? RowSet.parse(found.rows) : RowSet.EMPTY;
}

/** Sheets that mirror columns of this one. */
export function findFollowers(tx: EntityManager, { workspaceId, sheetId }: MirrorSheet): Promise<MirrorSheet[]> {
  return tx.query<MirrorSheet[]>(
    `SELECT DISTINCT workspace_id AS "workspaceId", sheet_id AS "sheetId" FROM composition_links
      WHERE workspace_id = $1 AND source_sheet_id = $2`,
    [workspaceId, sheetId],
  );
}

/**
 * Sheets that do not show the current state of their sources, or not in all rows. Those with a running import have to
 * wait for it.
 */
export function findOutdated(tx: EntityManager): Promise<MirrorSheet[]> {
  return tx.query<MirrorSheet[]>(
    `SELECT DISTINCT l.workspace_id AS "workspaceId", l.sheet_id AS "sheetId"
       FROM composition_links l
       JOIN sheet_columns own ON own.workspace_id = l.workspace_id AND own.id = l.column_id AND own.deleted_at IS NULL
       JOIN sheets follower ON follower.workspace_id = l.workspace_id AND follower.id = l.sheet_id
        AND follower.deleted_at IS NULL AND follower.reserved_rows = 0
       LEFT JOIN (${LIVE_SOURCE}) ON s.workspace_id = l.workspace_id AND s.id = l.source_sheet_id
        AND s.deleted_at IS NULL AND c.id = l.source_column_id
      WHERE l.seen_version IS DISTINCT FROM coalesce(s.version, ${SOURCE_GONE}) OR ${hasUnreadRows('l.workspace_id')} LIMIT 1000`,
  );
}

/** Part of both ways to change a mirroring column: moves previous cells to the history. */
const WRITE = `
  archived AS (
    INSERT INTO ${CELL_HISTORY} SELECT ${pastOf('c', '$3')}
      FROM changed JOIN cells c ON c.workspace_id = $1 AND c.column_key = $2 AND c.row_index = changed.row_index
     WHERE c.version < $3
  ), written AS (
    INSERT INTO cells (workspace_id, column_key, row_index, version, value, display_value, error)
    SELECT $1, $2, row_index, $3, value, display_value, error FROM changed
    ON CONFLICT (workspace_id, column_key, row_index) DO UPDATE SET
      version = excluded.version, updated_at = excluded.updated_at, value = excluded.value, display_value = excluded.display_value,
      error = excluded.error)
  SELECT range_agg(int4range(row_index, row_index + 1)) AS changed FROM changed`;

/** A cell without a value in the source is blank here. Only differences are written. */
const COPY_CELLS = `
  WITH changed AS MATERIALIZED (
    SELECT coalesce(theirs.row_index, own.row_index) AS row_index, theirs.value, theirs.display_value, theirs.error
      FROM (SELECT * FROM cells WHERE workspace_id = $1 AND column_key = $2) own
      FULL JOIN (SELECT * FROM cells WHERE workspace_id = $1 AND column_key = $4 AND $5::int4multirange @> row_index) theirs
        ON theirs.row_index = own.row_index
     WHERE (theirs.value, theirs.display_value, theirs.error)
           IS DISTINCT FROM (own.value, own.display_value, own.error)
  ), ${WRITE}`;

const FAIL_CELLS = `
  WITH changed AS MATERIALIZED (
    SELECT wanted.row_index, own.value, own.display_value, $5 AS error
      FROM (SELECT generate_series(lower(r), upper(r) - 1) AS row_index FROM unnest($4::int4multirange) r) wanted
      LEFT JOIN cells own ON own.workspace_id = $1 AND own.column_key = $2 AND own.row_index = wanted.row_index
     WHERE own.error IS DISTINCT FROM $5
  ), ${WRITE}`;

export interface MirrorWrite {
  workspaceId: number;
  columnKey: string;
  /** Version of the sheet that mirrors. */
  version: number;
}

async function run(tx: EntityManager, sql: string, write: MirrorWrite, values: unknown[]): Promise<RowSet> {
  const [result] = await tx.query<{ changed: string | null }[]>(sql, [
    write.workspaceId,
    write.columnKey,
    write.version,
    ...values,
  ]);
  return RowSet.parse(result?.changed ?? '');
}

/** Makes the cells of a column equal to those of its source, within the database; returns the changed rows. */
export function copyCells(tx: EntityManager, write: MirrorWrite, source: MirrorSource): Promise<RowSet> {
  return run(tx, COPY_CELLS, write, [source.columnKey, source.rows.toString()]);
}

/** Makes every cell of a column a failed one that keeps its last value; returns the changed rows. */
export function failCells(tx: EntityManager, write: MirrorWrite, rows: RowSet, error: string): Promise<RowSet> {
  return run(tx, FAIL_CELLS, write, [rows.toString(), error]);
}
