import type { EntityManager } from 'typeorm';
import { int2Array, int8Array } from '../../../platform/database/binary-arrays.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { RowSet } from '../rows/row-set.js';
import type { Sheet } from '../sheet.entity.js';

const SAME_TASK = `t.workspace_id = h.workspace_id AND t.sheet_id = h.sheet_id AND t.chunk_no = h.chunk_no AND t.rank = h.rank
           AND t.column_key = h.column_key AND t.execution_id = h.execution_id`;

/** A task that loses rows loses its claim as well: what its worker brings was computed from what is gone. */
const DROP = `
  WITH h AS MATERIALIZED (
    SELECT * FROM computation_tasks
     WHERE workspace_id = $1 AND sheet_id = $2 AND ($3::bigint[] IS NULL OR column_key = ANY ($3)) AND rows && $4::int4multirange
       FOR UPDATE
  ), ended AS (
    DELETE FROM computation_tasks t USING h WHERE ${SAME_TASK} AND isempty(h.rows - $4::int4multirange)
  ), trimmed AS (
    UPDATE computation_tasks t SET rows = h.rows - $4::int4multirange, claim = NULL, lease_until = NULL FROM h
     WHERE ${SAME_TASK} AND NOT isempty(h.rows - $4::int4multirange)
  )
  SELECT execution_id AS id, sum(upper(r) - lower(r))::int AS cells
    FROM h, unnest(h.rows * $4::int4multirange) r GROUP BY execution_id`;

const UNCOUNT = `
  UPDATE executions e SET cell_count = cell_count - d.cells,
         status = CASE WHEN live.any THEN status ELSE 'completed' END,
         finished_at = CASE WHEN live.any THEN NULL ELSE now() END
    FROM unnest($2::uuid[], $3::int[]) d (id, cells), LATERAL (
      SELECT EXISTS (SELECT 1 FROM computation_tasks t WHERE t.workspace_id = $1 AND t.execution_id = d.id) AS any) live
   WHERE e.workspace_id = $1 AND e.id = d.id`;

/** Takes cells that no longer exist, or are no longer computed, out of the executions that have them. */
async function dropPending(tx: EntityManager, sheet: Sheet, keys: string[] | null, rows: string): Promise<void> {
  const { workspaceId, id } = sheet;
  const dropped = await tx.query<{ id: string; cells: number }[]>(DROP, [workspaceId, id, keys, rows]);
  if (dropped.length === 0) return;
  await tx.query(UNCOUNT, [workspaceId, dropped.map((each) => each.id), dropped.map((each) => each.cells)]);
}

export function dropPendingRows(tx: EntityManager, sheet: Sheet, rows: RowSet): Promise<void> {
  return dropPending(tx, sheet, null, rows.toString());
}

export function dropPendingColumns(tx: EntityManager, sheet: Sheet, keys: string[]): Promise<void> {
  return dropPending(tx, sheet, keys, '{[0,)}');
}

/**
 * Fits what is queued to columns that read something else now: tasks get the order of the new graph, and those of the
 * changed columns start anew, because their workers compute with what the column was.
 */
export async function refitTasks(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  changed: SheetColumn[],
): Promise<void> {
  const { workspaceId, id } = sheet;
  const found = await tx.query<{ key: string; rank: number }[]>(
    'SELECT DISTINCT column_key AS key, rank FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2',
    [workspaceId, id],
  );
  const keys = new Set(changed.map((column) => column.key));
  const tasks = found.flatMap(({ key, rank }) => {
    const column = columns.byKey(key);
    const next = column ? columns.graph.rank(column.id) : rank;
    return next !== rank || keys.has(key) ? [{ key, rank, next }] : [];
  });
  if (tasks.length === 0) return;
  await tx.query(
    `UPDATE computation_tasks t SET rank = n.next, claim = NULL, lease_until = NULL
       FROM unnest($3::bigint[], $4::smallint[], $5::smallint[]) n (key, rank, next)
      WHERE t.workspace_id = $1 AND t.sheet_id = $2 AND t.column_key = n.key AND t.rank = n.rank`,
    [
      workspaceId,
      id,
      int8Array(tasks.map(({ key }) => Number(key))),
      int2Array(tasks.map(({ rank }) => rank)),
      int2Array(tasks.map(({ next }) => next)),
    ],
  );
}
