import type { EntityManager } from 'typeorm';
import { int2Array, int4Array, int8Array, textArray } from '../../../platform/database/binary-arrays.js';
import { Statement } from '../../../platform/database/statement.js';
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

/** Tasks of one column in neighbouring chunks, in the hands of this worker. */
export interface ClaimedWork extends Omit<TaskKey, 'chunkNo'> {
  rows: RowSet;
  claim: string;
  /** How often the most tried of them was claimed. */
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
 * Chunks that are computed together. Locking the sheet and committing cost as much for one as for several; more would
 * make progress coarse.
 */
const CHUNKS_PER_CLAIM = 8;

const FREE = (task: string): string => `
  ${task}.workspace_id = $1 AND ${task}.sheet_id = $2 AND (${task}.lease_until IS NULL OR ${task}.lease_until < now())
    AND NOT EXISTS (
      SELECT 1 FROM computation_tasks earlier
       WHERE earlier.workspace_id = ${task}.workspace_id AND earlier.sheet_id = ${task}.sheet_id
         AND earlier.chunk_no = ${task}.chunk_no AND earlier.rank < ${task}.rank)`;

/**
 * Takes a task nobody works on, whose chunk has no task of lower rank left: everything it reads is computed. With it come
 * the tasks of the same column in the next chunks where the column is of a type that computes many rows at once ($4); one
 * that was tried before comes alone, because it may be what killed its worker. The claim is committed before the work
 * starts, so the work may take long and a dead worker loses only its lease. It need not survive a crash of the database:
 * then it is simply claimed again, so the commit does not wait for the disk.
 */
const CLAIM = new Statement<Omit<ClaimedWork, 'rows'> & { rows: string }>(`
  WITH quick AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true), gen_random_uuid() AS claim
  ), first AS (
    SELECT * FROM computation_tasks w WHERE ${FREE('w')} ORDER BY w.chunk_no, w.rank LIMIT 1 FOR UPDATE SKIP LOCKED
  ), candidates AS (
    SELECT w.* FROM first f JOIN computation_tasks w
        ON (w.workspace_id, w.sheet_id, w.rank, w.column_key, w.execution_id)
         = (f.workspace_id, f.sheet_id, f.rank, f.column_key, f.execution_id)
       AND w.chunk_no >= f.chunk_no AND w.chunk_no < f.chunk_no + ${CHUNKS_PER_CLAIM}
     WHERE ${FREE('w')}
       AND (w.chunk_no = f.chunk_no OR (w.attempts = 0 AND f.attempts = 0 AND EXISTS (
         SELECT FROM sheet_columns c WHERE c.workspace_id = w.workspace_id AND c.key = w.column_key AND c.type = ANY($4::text[]))))
       FOR UPDATE OF w SKIP LOCKED
  ), claimed AS (
    UPDATE computation_tasks t
       SET claim = quick.claim, lease_until = now() + $3 * interval '1 millisecond', attempts = t.attempts + 1
      FROM candidates c, quick
     WHERE (t.workspace_id, t.sheet_id, t.chunk_no, t.rank, t.column_key, t.execution_id)
         = (c.workspace_id, c.sheet_id, c.chunk_no, c.rank, c.column_key, c.execution_id)
    RETURNING t.*
  ), started AS (
    UPDATE executions e SET status = 'running' FROM claimed c
     WHERE e.workspace_id = c.workspace_id AND e.id = c.execution_id AND e.status = 'queued'
  )
  SELECT workspace_id AS "workspaceId", sheet_id AS "sheetId", rank, column_key AS "columnKey",
         execution_id AS "executionId", rows, claim, attempts
    FROM claimed`);

/** `bulkTypes`: the column types that compute many rows at once. */
export async function claimWork(
  db: EntityManager,
  sheet: { workspaceId: number; sheetId: string },
  { leaseMs, bulkTypes }: { leaseMs: number; bulkTypes: string[] },
): Promise<ClaimedWork | null> {
  const tasks = await CLAIM.run(db, [sheet.workspaceId, sheet.sheetId, leaseMs, bulkTypes]);
  if (tasks.length === 0) return null;
  const rows = RowSet.union(tasks.map((task) => RowSet.parse(task.rows)));
  return { ...tasks[0]!, rows, attempts: Math.max(...tasks.map((task) => task.attempts)) };
}

const THIS_CLAIM = `t.workspace_id = $1 AND t.sheet_id = $2 AND t.chunk_no >= $3 AND t.chunk_no <= $4 AND t.rank = $5
  AND t.column_key = $6 AND t.execution_id = $7 AND t.claim = $8`;

function claimParameters({ rows, ...work }: ClaimedWork): unknown[] {
  const chunks = rows.chunks();
  const { workspaceId, sheetId, rank, columnKey, executionId, claim } = work;
  return [workspaceId, sheetId, chunks[0], chunks.at(-1), rank, columnKey, executionId, claim];
}

/** Prolongs the lease of work that takes long. */
export async function renewLease(db: EntityManager, work: ClaimedWork, leaseMs: number): Promise<void> {
  await db.query(
    `UPDATE computation_tasks t SET lease_until = now() + $9 * interval '1 millisecond' WHERE ${THIS_CLAIM}`,
    [...claimParameters(work), leaseMs],
  );
}

const HOLD = new Statement<{ rows: string; version: number | null }>(`
  SELECT t.rows, e.version
    FROM computation_tasks t JOIN executions e ON e.workspace_id = t.workspace_id AND e.id = t.execution_id
   WHERE ${THIS_CLAIM} FOR UPDATE OF t`);

/**
 * Locks the tasks whose claim still holds, and gives the version their execution last wrote into. null: another worker
 * took all of them over, or the work was cancelled.
 */
export async function holdClaim(
  tx: EntityManager,
  work: ClaimedWork,
): Promise<{ rows: RowSet; executionVersion: number | null } | null> {
  const held = await HOLD.run(tx, claimParameters(work));
  if (held.length === 0) return null;
  const rows = RowSet.union(held.map((task) => RowSet.parse(task.rows)));
  return { rows, executionVersion: held[0]!.version };
}

export interface WorkOutcome {
  completed: number;
  failed: number;
  /** Cells that turned out not to need computing. */
  dropped: number;
  /** Rows to be computed again. */
  again: RowSet;
}

/** Ends tasks, or gives back what is left of them; adds to the counters of their execution and ends that with its last. */
const RELEASE = new Statement(`
  WITH released AS MATERIALIZED (
    SELECT chunk_no, again::int4multirange AS again FROM unnest($9::int[], $10::text[]) AS r (chunk_no, again)
  ), ended AS (
    DELETE FROM computation_tasks t USING released r WHERE ${THIS_CLAIM} AND t.chunk_no = r.chunk_no AND isempty(r.again)
  ), returned AS (
    UPDATE computation_tasks t SET rows = r.again, claim = NULL, lease_until = NULL, attempts = 0 FROM released r
     WHERE ${THIS_CLAIM} AND t.chunk_no = r.chunk_no AND NOT isempty(r.again)
  ), live AS (
    SELECT EXISTS (SELECT FROM released WHERE NOT isempty(again)) OR EXISTS (
      SELECT 1 FROM computation_tasks t
       WHERE t.workspace_id = $1 AND t.execution_id = $7
         AND NOT (t.chunk_no = ANY($9) AND t.rank = $5 AND t.column_key = $6)) AS any
  )
  UPDATE executions SET
    completed_count = completed_count + $11, failed_count = failed_count + $12, cell_count = cell_count - $13,
    status = CASE WHEN live.any THEN status ELSE 'completed' END,
    finished_at = CASE WHEN live.any THEN NULL ELSE now() END
  FROM live WHERE workspace_id = $1 AND id = $7`);

/** `held` are the rows of the tasks that are released. */
export async function releaseWork(
  tx: EntityManager,
  work: ClaimedWork,
  { held, ...outcome }: WorkOutcome & { held: RowSet },
): Promise<void> {
  const { completed, failed, dropped, again } = outcome;
  const chunks = held.chunks();
  await RELEASE.run(tx, [
    ...claimParameters(work),
    int4Array(chunks),
    textArray(chunks.map((chunkNo) => again.inChunk(chunkNo).toString())),
    completed,
    failed,
    dropped,
  ]);
}

export interface PendingRows {
  columnKey: string;
  rows: RowSet;
  running: boolean;
}

/** The pending rows of each column. */
export function pendingRows(pending: PendingRows[]): Map<string, RowSet> {
  const sets = new Map<string, RowSet[]>();
  for (const { columnKey, rows } of pending) {
    const known = sets.get(columnKey);
    if (known) known.push(rows);
    else sets.set(columnKey, [rows]);
  }
  return new Map([...sets].map(([key, parts]) => [key, RowSet.union(parts)]));
}

const PENDING = new Statement<{ columnKey: string; rows: string; running: boolean }>(`
  SELECT column_key AS "columnKey", rows, claim IS NOT NULL AND lease_until > now() AS running
    FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 AND ($3::uuid IS NULL OR execution_id = $3)`);

/** What is queued or running in a sheet. */
export async function readPending(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string },
  executionId: string | null = null,
): Promise<PendingRows[]> {
  const rows = await PENDING.run(tx, [sheet.workspaceId, sheet.id, executionId]);
  return rows.map((row) => ({ ...row, rows: RowSet.parse(row.rows) }));
}

/** Sheets with work that nobody holds, of all workspaces: what the sweep rings for. */
export async function findWaitingSheets(db: EntityManager): Promise<{ workspaceId: number; sheetId: string }[]> {
  return db.query(
    `SELECT DISTINCT workspace_id AS "workspaceId", sheet_id AS "sheetId" FROM computation_tasks
      WHERE lease_until IS NULL OR lease_until < now() LIMIT 1000`,
  );
}
