import type { EntityManager } from 'typeorm';
import type { RowsOfSheet } from './found-rows.js';

const EVER = 2 ** 31 - 1;
/** The rows as `r`, with the versions in which they were about the person, and the columns of the sheet as `k`, deleted ones as well. */
const PLACES = `unnest($3::int[], $4::int[], $5::int[]) AS r (row, since, until),
  (SELECT key FROM sheet_columns WHERE workspace_id = $1 AND sheet_id = $2) AS k`;
const PRESENT = `c.workspace_id = $1 AND c.column_key = k.key AND c.row_index = r.row AND r.until = ${EVER}`;
/** Includes cells that were there before: they were beside the person's data. */
const PAST = `c.workspace_id = $1 AND c.column_key = k.key AND c.row_index = r.row AND c.version_to > r.since AND c.version_from < r.until`;

function placesOf(workspaceId: number, { sheetId, rows }: RowsOfSheet): unknown[] {
  const untils = rows.map(({ until }) => until ?? EVER);
  return [workspaceId, sheetId, rows.map(({ row }) => row), rows.map(({ from }) => from), untils];
}

/** Traces and logs of the calls that computed cells. */
export interface MadeCalls {
  traceIds: string[];
  logIds: string[];
  /** null when nothing was called. */
  since: Date | null;
}

/**
 * Counts the cells of rows, the traces and request logs of their calls, and when the first of these was stored. Calls
 * of reused results belong to other cells.
 */
export async function readMadeCalls(
  tx: EntityManager,
  workspaceId: number,
  portion: RowsOfSheet,
): Promise<MadeCalls & { cells: number }> {
  const [made] = await tx.query<(MadeCalls & { cells: number })[]>(
    `WITH of_rows AS MATERIALIZED (
       SELECT c.metrics, c.updated_at FROM ${PLACES}, cells c WHERE ${PRESENT}
       UNION ALL SELECT c.metrics, c.updated_at FROM ${PLACES}, cell_history c WHERE ${PAST}),
     own AS (SELECT metrics, updated_at FROM of_rows WHERE metrics IS NOT NULL AND NOT metrics ? 'reused_from')
     SELECT (SELECT count(*)::int FROM of_rows) AS cells, (SELECT min(updated_at) FROM own) AS since,
            ARRAY(SELECT DISTINCT id FROM own, jsonb_array_elements_text(metrics->'trace_ids') AS id) AS "traceIds",
            ARRAY(SELECT DISTINCT id FROM own, jsonb_array_elements_text(metrics->'request_ids') AS id) AS "logIds"`,
    placesOf(workspaceId, portion),
  );
  return made!;
}

/** Permanently deletes the cells of rows. Current ones exist only in deleted columns and sheets by then. */
export async function deleteCellsOf(tx: EntityManager, workspaceId: number, portion: RowsOfSheet): Promise<void> {
  const values = placesOf(workspaceId, portion);
  await tx.query(`DELETE FROM cells c USING ${PLACES} WHERE ${PRESENT}`, values);
  await tx.query(`DELETE FROM cell_history c USING ${PLACES} WHERE ${PAST}`, values);
}

/** Deletes the verdicts of scorecards from the versions in which the rows were about the person. */
export async function deleteRowVerdicts(tx: EntityManager, workspaceId: number, portion: RowsOfSheet): Promise<void> {
  await tx.query(
    `DELETE FROM scorecard_rows s
      USING scorecard_calculations c, unnest($3::int[], $4::int[], $5::int[]) AS r (row, since, until)
      WHERE c.workspace_id = $1 AND c.sheet_id = $2 AND c.version >= r.since AND (c.version < r.until OR r.until = ${EVER})
        AND s.workspace_id = $1 AND s.calculation_id = c.id AND s.row_index = r.row`,
    placesOf(workspaceId, portion),
  );
}

/** Removes the ids of traces from versions that added them. The versions still say that a trace was added. */
export async function forgetImportedTraces(
  tx: EntityManager,
  workspaceId: number,
  portion: RowsOfSheet,
): Promise<void> {
  const { sheetId, rows } = portion;
  const isOfRow = `d->>'type' = 'trace_import' AND (d->>'row_index')::int = ANY($3::int[])`;
  await tx.query(
    `UPDATE sheet_versions v SET deltas = (
       SELECT jsonb_agg(CASE WHEN ${isOfRow} THEN jsonb_build_object('type', d->'type', 'row_index', d->'row_index') ELSE d END ORDER BY n)
         FROM jsonb_array_elements(v.deltas) WITH ORDINALITY AS e (d, n))
      WHERE v.workspace_id = $1 AND v.sheet_id = $2 AND v.deltas @> '[{"type": "trace_import"}]'
        AND EXISTS (SELECT FROM jsonb_array_elements(v.deltas) AS d WHERE ${isOfRow})`,
    [workspaceId, sheetId, rows.map(({ row }) => row)],
  );
}
