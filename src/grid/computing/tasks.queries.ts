import type { EntityManager } from 'typeorm';
import {
  boolArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import { groupBy } from '../../platform/group-by.js';
import type { Claim } from '../../platform/work/work-kind.js';
import { RowSet } from '../shared/row-set.js';
import type { ExecutionOwner } from '../shared/sheet-owner.js';

/** Cells of a sheet that one execution computes. */
interface CellsOfExecution {
  workspaceId: number;
  sheetId: string;
  executionId: string;
}

export interface NewTask extends CellsOfExecution {
  columnKey: string;
  chunkNo: number;
  rank: number;
  isExternal: boolean;
  rows: RowSet;
}

/** Rows that this worker has claimed. */
export interface ClaimedCells extends CellsOfExecution, Claim {
  /** One column; or the columns that every row goes through, in this order. */
  columnKeys: string[];
  rows: RowSet;
}

export const TASK_COLUMNS = 'workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, is_external, rows';

const INSERT = `
  INSERT INTO computation_tasks (${TASK_COLUMNS})
  SELECT $1, $2, $3, chunk_no, rank, column_key, is_external, rows::int4multirange
    FROM unnest($4::int[], $5::smallint[], $6::bigint[], $7::boolean[], $8::text[])
      AS t (chunk_no, rank, column_key, is_external, rows)`;

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
    boolArray(tasks.map((task) => task.isExternal)),
    textArray(tasks.map((task) => task.rows.toString())),
  ]);
}

/** The tasks of some claims, in chunks $3 to $4. Lock several tasks in the order of their ids. */
const OF_CLAIMS = `t.workspace_id = $1 AND t.sheet_id = $2 AND t.chunk_no >= $3 AND t.chunk_no <= $4
  AND t.claim = ANY ($5::uuid[])`;

/** Claims on rows of one sheet; `rows` are those of all claims together. */
export interface ClaimSet {
  workspaceId: number;
  sheetId: string;
  claims: string[];
  rows: RowSet;
}

export function toClaimSet({ workspaceId, sheetId, claim, rows }: ClaimedCells): ClaimSet {
  return { workspaceId, sheetId, claims: [claim], rows };
}

function claimParameters({ workspaceId, sheetId, rows, claims }: ClaimSet): unknown[] {
  const chunks = rows.chunks();
  return [workspaceId, sheetId, chunks[0], chunks.at(-1), uuidArray(claims)];
}

const GIVEN_TASKS = `unnest($2::uuid[], $3::uuid[]) AS c (sheet_id, claim)
  JOIN computation_tasks t ON t.workspace_id = $1 AND t.sheet_id = c.sheet_id AND t.claim = c.claim`;

/** Skips locked tasks: nobody else can claim them either, and the next renewal is soon enough. */
const RENEW = new Statement<{ claim: string; columnKey: string; rows: string }>(`
  WITH mine AS MATERIALIZED (
    SELECT t.id FROM ${GIVEN_TASKS} FOR UPDATE OF t SKIP LOCKED
  ), renewed AS (
    UPDATE computation_tasks t SET lease_until = now() + $4 * interval '1 millisecond'
      FROM mine m WHERE t.workspace_id = $1 AND t.id = m.id
  )
  SELECT t.claim, t.column_key AS "columnKey", t.rows FROM ${GIVEN_TASKS}`);

/** The rows of each column that a claim still has. */
export type HeldRows = Map<string, RowSet>;

/**
 * Renews the leases of claims of one workspace; returns the rows that each still has. Lost and cancelled claims are
 * missing.
 */
export async function renewLeases(
  db: EntityManager,
  claims: ClaimedCells[],
  leaseMs: number,
): Promise<Map<string, HeldRows>> {
  const tasks = await RENEW.run(db, [
    workspaceOf(claims),
    uuidArray(claims.map(({ sheetId }) => sheetId)),
    uuidArray(claims.map(({ claim }) => claim)),
    leaseMs,
  ]);
  const held = new Map<string, HeldRows>();
  for (const { claim, columnKey, rows } of tasks) {
    const columns = held.get(claim) ?? new Map<string, RowSet>();
    held.set(claim, columns.set(columnKey, RowSet.parse(rows).union(columns.get(columnKey) ?? RowSet.EMPTY)));
  }
  return held;
}

/** A task with a valid claim, and its execution. */
export interface HeldTask {
  id: string;
  claim: string;
  columnKey: string;
  rows: RowSet;
  executionId: string;
  owner: ExecutionOwner;
  /** The version of the execution's latest results. */
  executionVersion: number | null;
  /** Whether the execution has a limit of its cost. */
  isLimited: boolean;
}

const HOLD = new Statement<Omit<HeldTask, 'rows'> & { rows: string }>(`
  SELECT t.id, t.claim, t.column_key AS "columnKey", t.rows, t.execution_id AS "executionId", e.owner,
         e.version AS "executionVersion", e.max_cost IS NOT NULL AS "isLimited"
    FROM computation_tasks t JOIN executions e ON e.workspace_id = $1 AND e.id = t.execution_id
   WHERE ${OF_CLAIMS} ORDER BY t.id FOR UPDATE OF t`);

/** Locks the tasks whose claims are still valid: others were taken over by other workers, or cancelled. */
export async function holdClaims(tx: EntityManager, work: ClaimSet): Promise<HeldTask[]> {
  const tasks = await HOLD.run(tx, claimParameters(work));
  return tasks.map((task) => ({ ...task, rows: RowSet.parse(task.rows) }));
}

/** The rest of a task. */
export interface SettledTask {
  id: string;
  rows: RowSet;
  /** Rows of it to compute again, by any worker. */
  again: RowSet;
}

/** Increments of the counters of an execution. */
export interface SettledCells {
  executionId: string;
  completed: number;
  failed: number;
  /** Completed cells that reuse the result of an earlier one. */
  reused: number;
  /** Cells that turned out not to need computing. */
  dropped: number;
  /** Cost of the cells in US dollars. */
  cost: number;
  /** Whether some of them have to be computed again. */
  goesOn: boolean;
}

/**
 * Deletes finished tasks, adds to the counters of executions, and ends those without tasks. Tasks that it queues again
 * are not in the table until it ends.
 */
/** An execution of which cells were settled. */
export interface SettledExecution {
  id: string;
  owner: ExecutionOwner;
  ended: boolean;
}

const SETTLE = new Statement<WaitingCells & SettledExecution>(`
  WITH settled AS MATERIALIZED (
    SELECT id, rows::int4multirange AS rows, again::int4multirange AS again
      FROM unnest($3::bigint[], $4::text[], $5::text[]) AS s (id, rows, again)
  ), queued AS (
    INSERT INTO computation_tasks (${TASK_COLUMNS})
    SELECT t.workspace_id, t.sheet_id, t.execution_id, t.chunk_no, t.rank, t.column_key, t.is_external, s.again
      FROM settled s JOIN computation_tasks t ON t.workspace_id = $1 AND t.id = s.id WHERE NOT isempty(s.again)
  ), ended AS (
    DELETE FROM computation_tasks t USING settled s WHERE t.workspace_id = $1 AND t.id = s.id AND isempty(s.rows)
  ), kept AS (
    UPDATE computation_tasks t SET rows = s.rows FROM settled s
     WHERE t.workspace_id = $1 AND t.id = s.id AND NOT isempty(s.rows)
  ), counted AS (
    SELECT c.*, c.again OR EXISTS (
             SELECT FROM computation_tasks t WHERE t.workspace_id = $1 AND t.execution_id = c.execution_id
                AND t.id NOT IN (SELECT id FROM settled WHERE isempty(rows))) AS goes_on
      FROM unnest($6::uuid[], $7::int[], $8::int[], $9::int[], $10::float8[], $11::boolean[], $12::int[])
        AS c (execution_id, completed, failed, dropped, cost, again, reused)
  ), free AS (
    SELECT is_external FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 AND claim IS NULL
     UNION ALL
    SELECT t.is_external FROM settled s JOIN computation_tasks t ON t.workspace_id = $1 AND t.id = s.id
     WHERE NOT isempty(s.again)
  ), waiting AS (
    SELECT coalesce(bool_or(NOT is_external), false) AS formulas, coalesce(bool_or(is_external), false) AS external FROM free
  )
  UPDATE executions e SET
    completed_count = completed_count + c.completed, failed_count = failed_count + c.failed,
    reused_count = reused_count + c.reused, cell_count = cell_count - c.dropped, cost = e.cost + c.cost,
    status = CASE WHEN c.goes_on THEN status ELSE 'completed' END,
    finished_at = CASE WHEN c.goes_on THEN NULL ELSE clock.now END
  FROM counted c, waiting, (SELECT now()) AS clock (now) WHERE e.workspace_id = $1 AND e.id = c.execution_id
  RETURNING e.id, e.owner, waiting.formulas, waiting.external, NOT c.goes_on AS ended`);

/** Cells of the sheet that may be ready now. */
export interface WaitingCells {
  /** Cells that the server computes alone. */
  formulas: boolean;
  external: boolean;
}

export const NOTHING_WAITS: WaitingCells = { formulas: false, external: false };

/** Removes settled rows from their tasks. Returns the executions, and whether each has ended. */
export async function settleCells(
  tx: EntityManager,
  { workspaceId, sheetId }: ClaimSet,
  tasks: SettledTask[],
  cells: SettledCells[],
): Promise<{ executions: SettledExecution[]; waiting: WaitingCells }> {
  const executions = await SETTLE.run(tx, [
    workspaceId,
    sheetId,
    int8Array(tasks.map(({ id }) => Number(id))),
    textArray(tasks.map(({ rows }) => rows.toString())),
    textArray(tasks.map(({ again }) => again.toString())),
    uuidArray(cells.map(({ executionId }) => executionId)),
    int4Array(cells.map(({ completed }) => completed)),
    int4Array(cells.map(({ failed }) => failed)),
    int4Array(cells.map(({ dropped }) => dropped)),
    float8Array(cells.map(({ cost }) => cost)),
    boolArray(cells.map(({ goesOn }) => goesOn)),
    int4Array(cells.map(({ reused }) => reused)),
  ]);
  const [{ formulas, external } = NOTHING_WAITS] = executions;
  return { executions, waiting: { formulas, external } };
}

/**
 * Rows that were not begun return to the queue as if they had never been claimed. If their task keeps other rows, they
 * become a separate task.
 */
const GIVE_BACK = new Statement(`
  WITH mine AS MATERIALIZED (
    SELECT t.*, t.rows * $6::int4multirange AS back FROM computation_tasks t
     WHERE ${OF_CLAIMS} AND t.rows && $6::int4multirange AND ($7::bigint[] IS NULL OR t.column_key = ANY ($7))
     ORDER BY t.id FOR UPDATE
  ), split AS (
    INSERT INTO computation_tasks (${TASK_COLUMNS}, attempts)
    SELECT workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, is_external, back, greatest(attempts - 1, 0)
      FROM mine WHERE NOT isempty(rows - back)
  ), kept AS (
    UPDATE computation_tasks t SET rows = m.rows - m.back FROM mine m
     WHERE t.workspace_id = $1 AND t.id = m.id AND NOT isempty(m.rows - m.back)
  )
  UPDATE computation_tasks t SET claim = NULL, lease_until = NULL, attempts = greatest(t.attempts - 1, 0) FROM mine m
   WHERE t.workspace_id = $1 AND t.id = m.id AND isempty(m.rows - m.back)`);

/** Releases rows of all columns of the claim, or only of the named ones. */
export async function giveBackRows(
  db: EntityManager,
  claim: ClaimedCells,
  rows: RowSet,
  columnKeys: string[] | null = null,
): Promise<void> {
  if (rows.isEmpty || columnKeys?.length === 0) return;
  const keys = columnKeys && int8Array(columnKeys.map(Number));
  await GIVE_BACK.run(db, [...claimParameters(toClaimSet(claim)), rows.toString(), keys]);
}

const LOCK_TASKS = new Statement(
  'SELECT id FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 ORDER BY id FOR UPDATE',
);

/**
 * Locks every task of a locked sheet, so that nobody claims or releases any until the end of the transaction. A claim
 * that is committed while its task is waited for creates a new task with the rest, which the waiting statement does not
 * see. The query is therefore repeated until it finds nothing new.
 */
export async function lockTasks(tx: EntityManager, sheet: { workspaceId: number; id: string }): Promise<void> {
  for (let last = -1; ;) {
    const { length } = await LOCK_TASKS.run(tx, [sheet.workspaceId, sheet.id]);
    if (length === last) return;
    last = length;
  }
}

export interface PendingRows {
  columnKey: string;
  rows: RowSet;
  running: boolean;
}

/** The pending rows of each column. */
export function pendingRows(pending: PendingRows[]): Map<string, RowSet> {
  const sets = new Map<string, RowSet>();
  for (const { columnKey, rows } of pending) sets.set(columnKey, rows.union(sets.get(columnKey) ?? RowSet.EMPTY));
  return sets;
}

type PendingTask = Omit<PendingRows, 'rows'> & { rows: string };

const PENDING_ROWS = `column_key AS "columnKey", range_agg(rows) AS rows, claim IS NOT NULL AND lease_until > now() AS running`;

const PENDING = new Statement<PendingTask>(`
  SELECT ${PENDING_ROWS} FROM computation_tasks
   WHERE workspace_id = $1 AND sheet_id = $2 AND ($3::uuid IS NULL OR execution_id = $3)
   GROUP BY 1, 3`);

/** Reads what is queued or running in a sheet, for `toPending`. */
export function pendingStep(
  sheet: { workspaceId: number; id: string },
  executionId: string | null = null,
): Step<PendingTask> {
  return PENDING.with([sheet.workspaceId, sheet.id, executionId]);
}

export function toPending(tasks: PendingTask[]): PendingRows[] {
  return tasks.map((task) => ({ ...task, rows: RowSet.parse(task.rows) }));
}

/** Reads the queued and running rows of a sheet, by column. */
export async function readPending(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string },
  executionId: string | null = null,
): Promise<PendingRows[]> {
  return toPending(await PENDING.run(tx, [sheet.workspaceId, sheet.id, executionId]));
}

const PENDING_OF_EACH = new Statement<PendingTask & { executionId: string }>(`
  SELECT ${PENDING_ROWS}, execution_id AS "executionId" FROM computation_tasks
   WHERE workspace_id = $1 AND sheet_id = $2 GROUP BY 1, 3, 4`);

/** The same by execution, with one statement for all executions of the sheet. */
export async function readPendingOfEach(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string },
): Promise<Map<string, PendingRows[]>> {
  const tasks = await PENDING_OF_EACH.run(tx, [sheet.workspaceId, sheet.id]);
  const executions = groupBy(tasks, ({ executionId }) => executionId);
  return new Map([...executions].map(([id, own]) => [id, toPending(own)]));
}
