import type { EntityManager } from 'typeorm';
import { CELL_HISTORY, pastOf } from '../cells/cells.queries.js';
import { columnsPerStatement } from '../cells/drop-cells.queries.js';
import type { RowSet } from '../shared/row-set.js';

/** Parameters of a restore. */
export interface Restoring {
  workspaceId: number;
  /** The columns after the restore. */
  columnKeys: string[];
  /** The version to restore. */
  source: number;
  /** The version that is being written. */
  version: number;
  /** The rows after the restore. */
  rows: RowSet;
  /** The rows that the restore deletes. */
  gone: RowSet;
}

/** Condition for the cell at version $3 in the history, if it has changed since. */
const THEN = `h.workspace_id = $1 AND h.column_key = c.column_key AND h.row_index = c.row_index
  AND h.version_from <= $3 AND h.version_to > $3`;

/** Cells that differ from the restored version, or are not in it. Cells that were changed back stay as they are. */
const TAKE_AWAY_CELLS = `
  WITH taken AS (
    DELETE FROM cells c
     WHERE c.workspace_id = $1 AND c.column_key = ANY($2::bigint[])
       AND (c.row_index <@ $5::int4multirange
         OR c.version > $3 AND NOT EXISTS (
              SELECT FROM cell_history h
               WHERE ${THEN}
                 AND (h.value, h.display_value, h.error, h.input_hash, h.execution_id, h.metrics)
                     IS NOT DISTINCT FROM (c.value, c.display_value, c.error, c.input_hash, c.execution_id, c.metrics)))
    RETURNING c.*)
  INSERT INTO ${CELL_HISTORY}
  SELECT ${pastOf('c', '$4')}
    FROM taken c`;

const PUT_BACK_CELLS = `
  INSERT INTO cells (workspace_id, column_key, row_index, version, execution_id, input_hash, value, display_value, error, metrics)
  SELECT c.workspace_id, c.column_key, c.row_index, $4, c.execution_id, c.input_hash, c.value, c.display_value, c.error,
         c.metrics
    FROM cell_history c
   WHERE c.workspace_id = $1 AND c.column_key = ANY($2::bigint[]) AND c.version_from <= $3 AND c.version_to > $3
     AND c.row_index <@ $5::int4multirange
     AND NOT EXISTS (SELECT FROM cells now
                      WHERE now.workspace_id = $1 AND now.column_key = c.column_key
                        AND now.row_index = c.row_index)`;

/**
 * Restores the content of cells as part of a version: different cells go to the history, then missing ones are copied
 * from it. The sheet must be locked.
 */
export async function restoreCells(tx: EntityManager, restoring: Restoring): Promise<void> {
  const { workspaceId, columnKeys, source, version, rows, gone } = restoring;
  for (const keys of columnsPerStatement(columnKeys, rows.count + gone.count)) {
    const common = [workspaceId, keys, source, version];
    await tx.query(TAKE_AWAY_CELLS, [...common, gone.toString()]);
    await tx.query(PUT_BACK_CELLS, [...common, rows.toString()]);
  }
}

const TAKE_AWAY_STATES = `
  WITH taken AS (
    DELETE FROM column_chunks c
     WHERE c.workspace_id = $1 AND c.column_key = ANY($2::bigint[]) AND c.version > $3
       AND NOT EXISTS (
         SELECT FROM column_chunk_history h
          WHERE h.workspace_id = $1 AND h.column_key = c.column_key AND h.chunk_no = c.chunk_no
            AND h.version_from <= $3 AND h.version_to > $3 AND h.stale = c.stale AND h.failed = c.failed)
    RETURNING c.*)
  INSERT INTO column_chunk_history (workspace_id, column_key, chunk_no, version_from, version_to, stale, failed)
  SELECT c.workspace_id, c.column_key, c.chunk_no, c.version, $4, c.stale, c.failed FROM taken c`;

const PUT_BACK_STATES = `
  INSERT INTO column_chunks (workspace_id, column_key, chunk_no, version, stale, failed)
  SELECT c.workspace_id, c.column_key, c.chunk_no, $4, c.stale, c.failed
    FROM column_chunk_history c
   WHERE c.workspace_id = $1 AND c.column_key = ANY($2::bigint[]) AND c.version_from <= $3 AND c.version_to > $3
     AND NOT EXISTS (SELECT FROM column_chunks now
                      WHERE now.workspace_id = $1 AND now.column_key = c.column_key
                        AND now.chunk_no = c.chunk_no)`;

/** Does the same for the states of cells. */
export async function restoreStates(tx: EntityManager, restoring: Restoring): Promise<void> {
  const { workspaceId, columnKeys, source, version } = restoring;
  if (columnKeys.length === 0) return;
  await tx.query(TAKE_AWAY_STATES, [workspaceId, columnKeys, source, version]);
  await tx.query(PUT_BACK_STATES, [workspaceId, columnKeys, source, version]);
}

const REWRITE_COLUMNS = `
  UPDATE sheet_columns c
     SET title = h.title, type = h.type, config = h.config, position_rank = h.position_rank,
         is_output_column = h.is_output_column, version = $5, updated_at = now(), deleted_at = NULL
    FROM column_history h
   WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.id = ANY($3::uuid[])
     AND h.workspace_id = $1 AND h.sheet_id = $2 AND h.column_id = c.id AND h.version_from <= $4 AND h.version_to > $4`;

const DROP_EDGES = `DELETE FROM column_edges WHERE workspace_id = $1 AND sheet_id = $2 AND column_id = ANY($3::uuid[])`;

const REWRITE_EDGES = `
  INSERT INTO column_edges (workspace_id, column_id, ordinal, sheet_id, source_id, config_key, config_meta)
  SELECT $1, h.column_id, e.ordinal - 1, $2, (e.edge->>'sourceId')::uuid, e.edge->>'configKey',
         nullif(e.edge->'configMeta', 'null')
    FROM column_history h, jsonb_array_elements(h.edges) WITH ORDINALITY AS e (edge, ordinal)
   WHERE h.workspace_id = $1 AND h.sheet_id = $2 AND h.column_id = ANY($3::uuid[]) AND h.version_from <= $4
     AND h.version_to > $4`;

/**
 * Restores columns to a version, deleted ones included, with their edges. Their current state must be in the history
 * already.
 */
export async function rewriteColumns(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string; version: number },
  ids: string[],
  source: number,
): Promise<void> {
  if (ids.length === 0) return;
  const place = [sheet.workspaceId, sheet.id, ids];
  await tx.query(REWRITE_COLUMNS, [...place, source, sheet.version]);
  await tx.query(DROP_EDGES, place);
  await tx.query(REWRITE_EDGES, [...place, source]);
}
