import type { EntityManager } from 'typeorm';
import { int2Array, int4Array, int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { RowSet } from '../rows/row-set.js';

export interface TaskKey {
  workspaceId: number;
  sheetId: string;
  chunkNo: number;
  rank: number;
  columnKey: string;
  executionId: string;
}

export interface NewTask extends TaskKey {
  rows: RowSet;
}

/** A task in the hands of this worker. */
export interface ClaimedTask extends NewTask {
  claim: string;
  attempts: number;
}

const INSERT = `
  INSERT INTO computation_tasks (workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, rows)
  SELECT $1, $2, $3, chunk_no, rank, column_key, rows::int4multirange
    FROM unnest($4::int[], $5::smallint[], $6::bigint[], $7::text[]) AS t (chunk_no, rank, column_key, rows)`;

/** Stores tasks of one execution. */
export async function insertTasks(tx: EntityManager, tasks: NewTask[]): Promise<void> {
  if (tasks.length === 0) return;
  const { workspaceId, sheetId, executionId } = tasks[0]!;
  await tx.query(INSERT, [
    workspaceId,
    sheetId,
    executionId,
    int4Array(tasks.map((task) => task.chunkNo)),
    int2Array(tasks.map((task) => task.rank)),
    int8Array(tasks.map((task) => Number(task.columnKey))),
    textArray(tasks.map((task) => task.rows.toString())),
  ]);
}

/**
 * Takes one task nobody works on, whose chunk has no task of lower rank left: everything it reads is computed. The claim
 * is committed before the work starts, so the work may take long and a dead worker loses only its lease.
 */
const CLAIM = new Statement<Omit<ClaimedTask, 'rows'> & { rows: string }>(`
  WITH candidate AS (
    SELECT * FROM computation_tasks w
     WHERE w.workspace_id = $1 AND w.sheet_id = $2 AND (w.lease_until IS NULL OR w.lease_until < now())
       AND NOT EXISTS (
         SELECT 1 FROM computation_tasks earlier
          WHERE earlier.workspace_id = w.workspace_id AND earlier.sheet_id = w.sheet_id
            AND earlier.chunk_no = w.chunk_no AND earlier.rank < w.rank)
     ORDER BY w.chunk_no, w.rank
     LIMIT 1 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE computation_tasks t
       SET claim = gen_random_uuid(), lease_until = now() + $3 * interval '1 millisecond', attempts = t.attempts + 1
      FROM candidate c
     WHERE (t.workspace_id, t.sheet_id, t.chunk_no, t.rank, t.column_key, t.execution_id)
         = (c.workspace_id, c.sheet_id, c.chunk_no, c.rank, c.column_key, c.execution_id)
    RETURNING t.*
  ), started AS (
    UPDATE executions e SET status = 'running' FROM claimed c
     WHERE e.workspace_id = c.workspace_id AND e.id = c.execution_id AND e.status = 'queued'
  )
  SELECT workspace_id AS "workspaceId", sheet_id AS "sheetId", chunk_no AS "chunkNo", rank, column_key AS "columnKey",
         execution_id AS "executionId", rows, claim, attempts
    FROM claimed`);

export async function claimTask(
  db: EntityManager,
  sheet: { workspaceId: number; sheetId: string },
  leaseMs: number,
): Promise<ClaimedTask | null> {
  const [row] = await CLAIM.run(db, [sheet.workspaceId, sheet.sheetId, leaseMs]);
  return row ? { ...row, rows: RowSet.parse(row.rows) } : null;
}

const THIS_CLAIM = `workspace_id = $1 AND sheet_id = $2 AND chunk_no = $3 AND rank = $4 AND column_key = $5 AND execution_id = $6
  AND claim = $7`;

function claimParameters(task: ClaimedTask): unknown[] {
  return [task.workspaceId, task.sheetId, task.chunkNo, task.rank, task.columnKey, task.executionId, task.claim];
}

/** Prolongs the lease of work that takes long. */
export async function renewLease(db: EntityManager, task: ClaimedTask, leaseMs: number): Promise<void> {
  await db.query(
    `UPDATE computation_tasks SET lease_until = now() + $8 * interval '1 millisecond' WHERE ${THIS_CLAIM}`,
    [...claimParameters(task), leaseMs],
  );
}

const HOLD = new Statement<{ version: number | null }>(`
  SELECT e.version FROM computation_tasks t JOIN executions e ON e.workspace_id = t.workspace_id AND e.id = t.execution_id
   WHERE t.workspace_id = $1 AND t.sheet_id = $2 AND t.chunk_no = $3 AND t.rank = $4 AND t.column_key = $5
     AND t.execution_id = $6 AND t.claim = $7
     FOR UPDATE OF t`);

/**
 * Locks a task while its claim still holds, and gives the version its execution last wrote into. null: another worker
 * took over, or the work was cancelled.
 */
export async function holdClaim(
  tx: EntityManager,
  task: ClaimedTask,
): Promise<{ executionVersion: number | null } | null> {
  const [held] = await HOLD.run(tx, claimParameters(task));
  return held ? { executionVersion: held.version } : null;
}

export interface TaskOutcome {
  completed: number;
  failed: number;
  /** Cells that turned out not to need computing. */
  dropped: number;
  /** Rows to be computed again. */
  again: RowSet;
}

/** Ends a task, or gives back what is left of it; adds to the counters of its execution and ends that with its last task. */
const RELEASE = new Statement(`
  WITH ended AS (
    DELETE FROM computation_tasks WHERE ${THIS_CLAIM} AND isempty($8::int4multirange)
  ), returned AS (
    UPDATE computation_tasks SET rows = $8::int4multirange, claim = NULL, lease_until = NULL, attempts = 0
     WHERE ${THIS_CLAIM} AND NOT isempty($8::int4multirange)
  ), live AS (
    SELECT NOT isempty($8::int4multirange) OR EXISTS (
      SELECT 1 FROM computation_tasks
       WHERE workspace_id = $1 AND execution_id = $6 AND (chunk_no, rank, column_key) <> ($3::int, $4::smallint, $5::bigint)) AS any
  )
  UPDATE executions SET
    completed_count = completed_count + $9, failed_count = failed_count + $10, cell_count = cell_count - $11,
    status = CASE WHEN live.any THEN status ELSE 'completed' END,
    finished_at = CASE WHEN live.any THEN NULL ELSE now() END
  FROM live WHERE workspace_id = $1 AND id = $6`);

export async function releaseTask(tx: EntityManager, task: ClaimedTask, outcome: TaskOutcome): Promise<void> {
  const { completed, failed, dropped, again } = outcome;
  await RELEASE.run(tx, [...claimParameters(task), again.toString(), completed, failed, dropped]);
}

export interface PendingRows {
  columnKey: string;
  rows: RowSet;
  running: boolean;
}

/** What is queued or running in a sheet. */
export async function readPending(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string },
  executionId: string | null = null,
): Promise<PendingRows[]> {
  const rows = await tx.query<{ columnKey: string; rows: string; running: boolean }[]>(
    `SELECT column_key AS "columnKey", rows, claim IS NOT NULL AND lease_until > now() AS running
       FROM computation_tasks
      WHERE workspace_id = $1 AND sheet_id = $2 AND ($3::uuid IS NULL OR execution_id = $3)`,
    [sheet.workspaceId, sheet.id, executionId],
  );
  return rows.map((row) => ({ ...row, rows: RowSet.parse(row.rows) }));
}

/** Sheets with work that nobody holds, of all workspaces: what the sweep rings for. */
export async function findWaitingSheets(db: EntityManager): Promise<{ workspaceId: number; sheetId: string }[]> {
  return db.query(
    `SELECT DISTINCT workspace_id AS "workspaceId", sheet_id AS "sheetId" FROM computation_tasks
      WHERE lease_until IS NULL OR lease_until < now() LIMIT 1000`,
  );
}
