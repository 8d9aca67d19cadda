import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import {
  boolArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '../../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../../platform/database/one-workspace.js';
import { Statement } from '../../../platform/database/statement.js';
import { claimInTurn } from '../../../platform/work/claim-in-turn.js';
import type { Claim, Turn } from '../../../platform/work/work-kind.js';
import { CHUNK_ROWS, RowSet } from '../rows/row-set.js';
import type { ExecutionOwner } from '../sheet-owner.js';

/** Cells of one column that are computed by one execution. */
export interface CellsOfExecution {
  workspaceId: number;
  sheetId: string;
  columnKey: string;
  executionId: string;
}

export interface NewTask extends CellsOfExecution {
  chunkNo: number;
  rank: number;
  isExternal: boolean;
  rows: RowSet;
}

/** Rows of one column in neighbouring chunks, in the hands of this worker. */
export interface ClaimedCells extends CellsOfExecution, Claim {
  rows: RowSet;
}

const COLUMNS = 'workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, is_external, rows';

const INSERT = `
  INSERT INTO computation_tasks (${COLUMNS})
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

/**
 * Chunks that are computed together where the server computes by itself. Locking the sheet and committing cost as much
 * for one as for several; more would make progress coarse.
 */
const CHUNKS_PER_CLAIM = 8;

/** The rows of a task in which everything of lower rank is done, so that all they read is computed. */
const ready = (task: string, workspace: string): string => `${task}.rows - coalesce((
  SELECT range_agg(earlier.rows) FROM computation_tasks earlier
   WHERE earlier.workspace_id = ${workspace} AND earlier.sheet_id = ${task}.sheet_id
     AND earlier.chunk_no = ${task}.chunk_no AND earlier.rank < ${task}.rank), '{}')`;

/** What keeps a task from being claimed, as parameters. */
interface Limits {
  workspace: string;
  held: string;
  most: string;
  full: string;
}

/** Tasks nobody works on that can be begun: none of the claims `held`, of the columns `full`, or claimed more than `most` times. */
const free = ({ workspace, held, most, full }: Limits): string => `
  (w.lease_until IS NULL OR w.lease_until < now() AND w.claim <> ALL (${held}::uuid[])) AND w.column_key <> ALL (${full}::bigint[])
  AND (${most}::int IS NULL OR w.attempts <= ${most}) AND NOT isempty(${ready('w', workspace)})`;

/** The first rows of a set. */
const firstRows = (rows: string, count: string): string => `(
  SELECT range_agg(int4range(lower(r), least(upper(r), lower(r) + ${count} - before))) FROM (
    SELECT r, coalesce(sum(upper(r) - lower(r))
             OVER (ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int AS before
      FROM unnest(${rows}) r) parts
   WHERE before < ${count})`;

const FREE_ANYWHERE = free({ workspace: 'w.workspace_id', held: '$4', most: '$5', full: '$6' });

const firstWorkspace = (which: string): string => `
  (SELECT w.workspace_id FROM computation_tasks w
    WHERE w.is_external = $1 AND w.workspace_id ${which} AND w.workspace_id <> ALL ($3::int[]) AND ${FREE_ANYWHERE}
    ORDER BY w.workspace_id LIMIT 1)`;

/** The workspace with the next higher id than the one served last, or the first of the others. */
const NEXT_WORKSPACE = new Statement<{ workspace_id: number }>(
  `SELECT * FROM (${firstWorkspace('> $2')} UNION ALL ${firstWorkspace('<= $2')}) AS turns LIMIT 1`,
);

const FREE_HERE = free({ workspace: '$1', held: '$7', most: '$8', full: '$9' });

/**
 * Takes rows of the next task of a workspace that nobody works on; small chunk numbers first, so that a large sheet does not
 * hold up small ones. Where the server computes by itself, tasks of the same column in the next
 * chunks come with it. Rows that were in the hands of a worker when it died come alone, in smaller and smaller parts: one
 * of them may be what killed it. What is not taken of a task stays behind as a task of its own. The claim is committed
 * before the work starts, so the work may take long and a dead worker loses only its lease. It need not survive a crash
 * of the database: then it is simply claimed again, so the commit does not wait for the disk.
 */
const CLAIM = new Statement<Omit<ClaimedCells, 'rows'> & { rows: string }>(`
  WITH quick AS MATERIALIZED (
    SELECT set_config('synchronous_commit', 'off', true)
  ), first AS MATERIALIZED (
    SELECT w.* FROM computation_tasks w
     WHERE w.is_external = $2 AND w.workspace_id = $1 AND ${FREE_HERE}
     ORDER BY w.chunk_no, w.rank, w.id LIMIT 1 FOR UPDATE OF w SKIP LOCKED
  ), neighbours AS (
    SELECT w.* FROM first f JOIN computation_tasks w
        ON (w.sheet_id, w.rank, w.column_key, w.execution_id) = (f.sheet_id, f.rank, f.column_key, f.execution_id)
       AND w.chunk_no >= f.chunk_no AND w.chunk_no < f.chunk_no + ${CHUNKS_PER_CLAIM}
     WHERE w.workspace_id = $1 AND NOT f.is_external AND f.attempts = 0 AND w.attempts = 0 AND w.id <> f.id AND ${FREE_HERE}
       FOR UPDATE OF w SKIP LOCKED
  ), chosen AS MATERIALIZED (
    SELECT c.*, ${ready('c', '$1')} AS ready,
           least($5::int, CASE c.attempts WHEN 0 THEN ${CHUNK_ROWS} WHEN 1 THEN $6::int ELSE 1 END) AS most
      FROM (SELECT * FROM first UNION ALL SELECT * FROM neighbours) c
  ), taken AS MATERIALIZED (
    SELECT c.*, ${firstRows('c.ready', 'c.most')} AS taken FROM chosen c
  ), claimed AS (
    UPDATE computation_tasks t
       SET rows = c.taken, claim = $3, lease_until = now() + $4 * interval '1 millisecond', attempts = t.attempts + 1
      FROM taken c, quick WHERE t.workspace_id = $1 AND t.id = c.id
    RETURNING t.*
  ), rest AS (
    INSERT INTO computation_tasks (${COLUMNS}, attempts)
    SELECT c.workspace_id, c.sheet_id, c.execution_id, c.chunk_no, c.rank, c.column_key, c.is_external, c.rows - c.taken, c.attempts
      FROM taken c WHERE NOT isempty(c.rows - c.taken)
  ), started AS (
    UPDATE executions e SET status = 'running' FROM claimed c
     WHERE e.workspace_id = $1 AND e.id = c.execution_id AND e.status = 'queued'
  )
  SELECT workspace_id AS "workspaceId", sheet_id AS "sheetId", column_key AS "columnKey", execution_id AS "executionId",
         rows, claim, attempts
    FROM claimed`);

export interface ClaimLimits {
  /** Cells of types whose results come from outside, or those that the server computes by itself. */
  isExternal: boolean;
  /** Most rows of one task. */
  rows: number;
  /** Most rows of a task whose worker died once. */
  rowsOfSuspects: number;
  /** Tasks whose workers died more often are left alone. */
  mostAttempts?: number | null;
  /** Workspaces that may have fewer, and how many. */
  rooms?: Map<number, number>;
  /** Keys of columns of which enough cells are in the hands of this worker. */
  fullColumns?: string[];
}

/** Milliseconds between tries to claim what others have locked; null ends them. */
const PAUSES_MS = [10, 20, 40, 80, 160, null];

/**
 * null when there is nothing to claim. A claim skips what is locked, because another worker may be claiming it. But it may
 * as well be a change of the sheet, after which nobody rings: so this looks again while something seems to be free.
 */
export async function claimCells(
  db: EntityManager,
  turn: Turn,
  leaseMs: number,
  limits: ClaimLimits,
): Promise<ClaimedCells | null> {
  const { isExternal, mostAttempts = null, fullColumns = [] } = limits;
  const next = async ({ after, full, held }: Turn) => {
    const [row] = await NEXT_WORKSPACE.run(db, [isExternal, after, full, held, mostAttempts, fullColumns]);
    return row?.workspace_id ?? null;
  };
  const claim = (workspaceId: number) => claimOf(db, { workspaceId, held: turn.held }, leaseMs, limits);
  for (const pauseMs of PAUSES_MS) {
    const { claimed, passed } = await claimInTurn(turn, { next, claim });
    if (claimed || !passed || pauseMs === null) return claimed;
    await setTimeout(pauseMs);
  }
  return null;
}

async function claimOf(
  db: EntityManager,
  { workspaceId, held }: { workspaceId: number; held: string[] },
  leaseMs: number,
  limits: ClaimLimits,
): Promise<ClaimedCells | null> {
  const { isExternal, rowsOfSuspects, mostAttempts = null, rooms, fullColumns = [] } = limits;
  const most = Math.min(limits.rows, rooms?.get(workspaceId) ?? Infinity);
  const values = [
    workspaceId,
    isExternal,
    randomUUID(),
    leaseMs,
    most,
    rowsOfSuspects,
    held,
    mostAttempts,
    fullColumns,
  ];
  const tasks = await CLAIM.run(db, values);
  if (tasks.length === 0) return null;
  const rows = RowSet.union(tasks.map((task) => RowSet.parse(task.rows)));
  return { ...tasks[0]!, rows, attempts: Math.max(...tasks.map((task) => task.attempts)) };
}

/** The tasks of some claims on one column, in chunks $3 to $4. */
const OF_CLAIMS = `t.workspace_id = $1 AND t.sheet_id = $2 AND t.chunk_no >= $3 AND t.chunk_no <= $4
  AND t.claim = ANY ($5::uuid[])`;

/** Claims on cells of one column; `rows` are those of all of them together. */
export interface ClaimSet extends CellsOfExecution {
  claims: string[];
  rows: RowSet;
}

export function toClaimSet({ claim, ...cells }: ClaimedCells): ClaimSet {
  return { ...cells, claims: [claim] };
}

function claimParameters({ workspaceId, sheetId, rows, claims }: ClaimSet): unknown[] {
  const chunks = rows.chunks();
  return [workspaceId, sheetId, chunks[0], chunks.at(-1), uuidArray(claims)];
}

const RENEW = new Statement<{ claim: string; rows: string }>(`
  UPDATE computation_tasks t SET lease_until = now() + $4 * interval '1 millisecond'
    FROM unnest($2::uuid[], $3::uuid[]) AS c (sheet_id, claim)
   WHERE t.workspace_id = $1 AND t.sheet_id = c.sheet_id AND t.claim = c.claim
  RETURNING t.claim, t.rows`);

/** Prolongs the leases of claims of one workspace; gives the rows each of them still has. Claims that are lost or cancelled are missing. */
export async function renewLeases(
  db: EntityManager,
  claims: ClaimedCells[],
  leaseMs: number,
): Promise<Map<string, RowSet>> {
  const held = await RENEW.run(db, [
    workspaceOf(claims),
    uuidArray(claims.map(({ sheetId }) => sheetId)),
    uuidArray(claims.map(({ claim }) => claim)),
    leaseMs,
  ]);
  const rows = new Map<string, RowSet[]>();
  for (const task of held) rows.set(task.claim, [...(rows.get(task.claim) ?? []), RowSet.parse(task.rows)]);
  return new Map([...rows].map(([claim, parts]) => [claim, RowSet.union(parts)]));
}

interface HeldTask {
  rows: string;
  owner: ExecutionOwner;
  version: number | null;
  maxCost: number | null;
  cost: number;
}

const HOLD = new Statement<HeldTask>(`
  SELECT t.rows, e.owner, e.version, e.max_cost AS "maxCost", e.cost
    FROM computation_tasks t JOIN executions e ON e.workspace_id = $1 AND e.id = t.execution_id
   WHERE ${OF_CLAIMS} FOR UPDATE OF t`);

export interface HeldCells {
  rows: RowSet;
  owner: ExecutionOwner;
  /** The version the execution last wrote into. */
  executionVersion: number | null;
  /** What the execution may still spend, in US dollars; null for any amount. */
  budget: number | null;
}

/** Locks the tasks whose claims still hold. null: other workers took all of them over, or the work was cancelled. */
export async function holdClaims(tx: EntityManager, work: ClaimSet): Promise<HeldCells | null> {
  const held = await HOLD.run(tx, claimParameters(work));
  if (held.length === 0) return null;
  const rows = RowSet.union(held.map((task) => RowSet.parse(task.rows)));
  const { owner, version, maxCost, cost } = held[0]!;
  return { rows, owner, executionVersion: version, budget: maxCost === null ? null : maxCost - cost };
}

export interface WorkOutcome {
  /** The rows that are dealt with, whichever way. */
  done: RowSet;
  /** Those of them that are to be computed again. */
  again: RowSet;
  completed: number;
  failed: number;
  /** Cells that turned out not to need computing. */
  dropped: number;
  /** What the cells cost, in US dollars. */
  cost: number;
}

/**
 * Takes rows that are dealt with out of their tasks, and queues those anew that are to be computed again; adds to the
 * counters of their execution and ends that with its last task.
 */
const SETTLE = new Statement<WaitingCells>(`
  WITH ended AS (
    DELETE FROM computation_tasks t WHERE ${OF_CLAIMS} AND isempty(t.rows - $6::int4multirange) RETURNING t.*
  ), kept AS (
    UPDATE computation_tasks t SET rows = t.rows - $6::int4multirange
     WHERE ${OF_CLAIMS} AND NOT isempty(t.rows - $6::int4multirange) AND t.rows && $6::int4multirange
    RETURNING t.*
  ), queued AS (
    INSERT INTO computation_tasks (${COLUMNS})
    SELECT DISTINCT ON (t.chunk_no) t.workspace_id, t.sheet_id, t.execution_id, t.chunk_no, t.rank, t.column_key, t.is_external,
           a.rows::int4multirange
      FROM unnest($7::int[], $8::text[]) AS a (chunk_no, rows)
      JOIN (SELECT * FROM ended UNION ALL SELECT * FROM kept) t ON t.chunk_no = a.chunk_no
  ), live AS (
    SELECT cardinality($7::int[]) > 0 OR EXISTS (
      SELECT 1 FROM computation_tasks t
       WHERE t.workspace_id = $1 AND t.execution_id = $9 AND t.id NOT IN (SELECT id FROM ended)) AS any
  ), waiting AS (
    SELECT coalesce(bool_or(NOT is_external), false) AS formulas, coalesce(bool_or(is_external), false) AS external
      FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 AND claim IS NULL
  )
  UPDATE executions e SET
    completed_count = completed_count + $10, failed_count = failed_count + $11, cell_count = cell_count - $12,
    cost = cost + $13,
    status = CASE WHEN live.any THEN status ELSE 'completed' END,
    finished_at = CASE WHEN live.any THEN NULL ELSE clock.now END
  FROM live, waiting, (SELECT now()) AS clock (now) WHERE e.workspace_id = $1 AND e.id = $9
  RETURNING waiting.formulas, waiting.external, NOT live.any AND e.owner = 'scorecard' AS scored, NOT live.any AS ended`);

/** Whether cells of the sheet wait that may be ready now. */
export interface WaitingCells {
  /** Those that the server computes by itself. */
  formulas: boolean;
  external: boolean;
  /** The last cell of a scorecard was settled. */
  scored: boolean;
  /** The execution has ended with these cells. */
  ended: boolean;
}

export const NOTHING_WAITS: WaitingCells = { formulas: false, external: false, scored: false, ended: false };

export async function settleCells(tx: EntityManager, work: ClaimSet, outcome: WorkOutcome): Promise<WaitingCells> {
  const { done, again, completed, failed, dropped, cost } = outcome;
  const chunks = again.chunks();
  const [waiting] = await SETTLE.run(tx, [
    ...claimParameters(work),
    done.toString(),
    int4Array(chunks),
    textArray(chunks.map((chunkNo) => again.inChunk(chunkNo).toString())),
    work.executionId,
    completed,
    failed,
    dropped,
    cost,
  ]);
  return waiting ?? NOTHING_WAITS;
}

/** Rows that were not begun go back as if they had never been claimed; those of a task that keeps others become one of their own. */
const GIVE_BACK = new Statement(`
  WITH mine AS MATERIALIZED (
    SELECT t.*, t.rows * $6::int4multirange AS back FROM computation_tasks t
     WHERE ${OF_CLAIMS} AND t.rows && $6::int4multirange FOR UPDATE
  ), split AS (
    INSERT INTO computation_tasks (${COLUMNS}, attempts)
    SELECT workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, is_external, back, attempts - 1
      FROM mine WHERE NOT isempty(rows - back)
  ), kept AS (
    UPDATE computation_tasks t SET rows = m.rows - m.back FROM mine m
     WHERE t.workspace_id = $1 AND t.id = m.id AND NOT isempty(m.rows - m.back)
  )
  UPDATE computation_tasks t SET claim = NULL, lease_until = NULL, attempts = t.attempts - 1 FROM mine m
   WHERE t.workspace_id = $1 AND t.id = m.id AND isempty(m.rows - m.back)`);

export async function giveBackRows(db: EntityManager, work: ClaimSet, rows: RowSet): Promise<void> {
  if (!rows.isEmpty) await GIVE_BACK.run(db, [...claimParameters(work), rows.toString()]);
}

const LOCK_TASKS = new Statement(
  'SELECT id FROM computation_tasks WHERE workspace_id = $1 AND sheet_id = $2 ORDER BY id FOR UPDATE',
);

/**
 * Locks every task of a locked sheet, so that nobody claims any of them or gives any back until the end of the transaction.
 * A claim that is committed while its task is waited for leaves the rest behind as a new task, which the statement that
 * waited does not see. So it looks again until it finds nothing new.
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

const PENDING = new Statement<{ columnKey: string; rows: string; running: boolean }>(`
  SELECT column_key AS "columnKey", range_agg(rows) AS rows, claim IS NOT NULL AND lease_until > now() AS running
    FROM computation_tasks
   WHERE workspace_id = $1 AND sheet_id = $2 AND ($3::uuid IS NULL OR execution_id = $3)
   GROUP BY 1, 3`);

/** What is queued or running in a sheet, by column. */
export async function readPending(
  tx: EntityManager,
  sheet: { workspaceId: number; id: string },
  executionId: string | null = null,
): Promise<PendingRows[]> {
  const rows = await PENDING.run(tx, [sheet.workspaceId, sheet.id, executionId]);
  return rows.map((row) => ({ ...row, rows: RowSet.parse(row.rows) }));
}
