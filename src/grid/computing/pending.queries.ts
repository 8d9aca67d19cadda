import type { EntityManager } from 'typeorm';
import { boolArray, int2Array, int8Array } from '../../platform/database/binary-arrays.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import type { RowSet } from '../shared/row-set.js';
import type { Sheet } from '../shared/sheet.entity.js';
import type { Execution } from './execution.entity.js';
import { chargeBrokenCalls } from './reservations.queries.js';
import { lockTasks } from './tasks.queries.js';
import { notifyOfProgress } from './notify-of-progress.js';

/** Removes rows from tasks. The other rows of a task stay with its worker. */
const DROP = `
  WITH h AS MATERIALIZED (
    SELECT * FROM computation_tasks
     WHERE workspace_id = $1 AND sheet_id = $2 AND ($3::bigint[] IS NULL OR column_key = ANY ($3)) AND rows && $4::int4multirange
       FOR UPDATE
  ), ended AS (
    DELETE FROM computation_tasks t USING h
     WHERE t.workspace_id = $1 AND t.id = h.id AND isempty(h.rows - $4::int4multirange)
  ), trimmed AS (
    UPDATE computation_tasks t SET rows = h.rows - $4::int4multirange FROM h
     WHERE t.workspace_id = $1 AND t.id = h.id AND NOT isempty(h.rows - $4::int4multirange)
  )
  SELECT execution_id AS id, sum(upper(r) - lower(r))::int AS cells
    FROM h, unnest(h.rows * $4::int4multirange) r GROUP BY execution_id`;

const UNCOUNT = `
  UPDATE executions e SET cell_count = cell_count - d.cells,
         status = CASE WHEN live.any THEN status ELSE 'completed' END,
         finished_at = CASE WHEN live.any THEN NULL ELSE clock.now END
    FROM (SELECT now()) clock (now), unnest($2::uuid[], $3::int[]) d (id, cells), LATERAL (
      SELECT EXISTS (SELECT 1 FROM computation_tasks t WHERE t.workspace_id = $1 AND t.execution_id = d.id) AS any) live
   WHERE e.workspace_id = $1 AND e.id = d.id
  RETURNING e.id, e.owner, NOT live.any AS ended`;

/** Removes cells that were deleted, or are no longer computed, from their executions. */
async function dropPending(tx: EntityManager, sheet: Sheet, keys: string[] | null, rows: string): Promise<void> {
  const { workspaceId, id } = sheet;
  await lockTasks(tx, sheet);
  const dropped = await tx.query<{ id: string; cells: number }[]>(DROP, [workspaceId, id, keys, rows]);
  if (dropped.length === 0) return;
  const given = [workspaceId, dropped.map((each) => each.id), dropped.map((each) => each.cells)];
  const [left] = await tx.query<[(Pick<Execution, 'id' | 'owner'> & { ended: boolean })[], number]>(UNCOUNT, given);
  const ended = left.filter((execution) => execution.ended);
  await chargeBrokenCalls(
    tx,
    workspaceId,
    ended.map((execution) => execution.id),
  );
  for (const execution of left) notifyOfProgress(tx, sheet, execution);
}

export function dropPendingRows(tx: EntityManager, sheet: Sheet, rows: RowSet): Promise<void> {
  return dropPending(tx, sheet, null, rows.toString());
}

export function dropPendingColumns(tx: EntityManager, sheet: Sheet, keys: string[]): Promise<void> {
  return dropPending(tx, sheet, keys, '{[0,)}');
}

const REFIT = `
  UPDATE computation_tasks t
     SET rank = n.rank, is_external = n.is_external,
         claim = CASE WHEN n.changed THEN NULL ELSE t.claim END,
         lease_until = CASE WHEN n.changed THEN NULL ELSE t.lease_until END,
         attempts = CASE WHEN n.changed THEN 0 ELSE t.attempts END
    FROM unnest($3::bigint[], $4::smallint[], $5::boolean[], $6::boolean[]) n (key, rank, is_external, changed)
   WHERE t.workspace_id = $1 AND t.sheet_id = $2 AND t.column_key = n.key
     AND (n.changed OR t.rank <> n.rank OR t.is_external <> n.is_external)`;

/**
 * Adapts queued tasks to columns that read other columns now. Tasks get the order of the new graph, and those of the
 * changed columns start again, because their workers compute with the old column.
 */
export async function refitTasks(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  changed: SheetColumn[],
): Promise<void> {
  const keys = new Set(changed.map((column) => column.key));
  const { computed } = columns;
  await lockTasks(tx, sheet);
  await tx.query(REFIT, [
    sheet.workspaceId,
    sheet.id,
    int8Array(computed.map(({ key }) => Number(key))),
    int2Array(computed.map((column) => columns.rank(column))),
    boolArray(computed.map((column) => columns.isExternal(column))),
    boolArray(computed.map(({ key }) => keys.has(key))),
  ]);
}
