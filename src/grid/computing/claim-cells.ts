import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { claimInTurn } from '../../platform/work/claim-in-turn.js';
import type { Turn } from '../../platform/work/work-kind.js';
import { CHUNK_ROWS, RowSet } from '../shared/row-set.js';
import { RUN_OWNERS } from '../shared/sheet-owner.js';
import { type ClaimedCells, TASK_COLUMNS } from './tasks.queries.js';

/**
 * Chunks in one claim of the server's own computations. Locking the sheet and committing cost as much for one as for
 * several; more of them would make progress coarse.
 */
const CHUNKS_PER_CLAIM = 8;

/** The rows of a task whose cells of lower rank are all done, so that all sources are computed. */
const ready = (task: string, workspace: string): string => `${task}.rows - coalesce((
  SELECT range_agg(earlier.rows) FROM computation_tasks earlier
   WHERE earlier.workspace_id = ${workspace} AND earlier.sheet_id = ${task}.sheet_id
     AND earlier.chunk_no = ${task}.chunk_no AND earlier.rank < ${task}.rank), '{}')`;

/** Tasks that nobody works on: none of the claims `held`, nor of the columns `full`. */
const unheld = (held: string, full: string): string => `
  (w.lease_until IS NULL OR w.lease_until < now() AND w.claim <> ALL (${held}::uuid[])) AND w.column_key <> ALL (${full}::bigint[])`;

/** Conditions that keep a task from being claimed, as parameters. */
interface Limits {
  workspace: string;
  held: string;
  most: string;
  full: string;
  waiting: string;
}

/**
 * Unheld tasks that can be started, were not claimed more than `most` times, and do not belong to the executions
 * `waiting`.
 */
const free = ({ workspace, held, most, full, waiting }: Limits): string => `${unheld(held, full)}
  AND w.execution_id <> ALL (${waiting}::uuid[])
  AND (${most}::int IS NULL OR w.attempts <= ${most}) AND NOT isempty(${ready('w', workspace)})`;

/** The first rows of a set. */
const firstRows = (rows: string, count: string): string => `(
  SELECT range_agg(int4range(lower(r), least(upper(r), lower(r) + ${count} - before))) FROM (
    SELECT r, coalesce(sum(upper(r) - lower(r))
             OVER (ORDER BY r ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int AS before
      FROM unnest(${rows}) r) parts
   WHERE before < ${count})`;

const FREE_ANYWHERE = free({ workspace: 'w.workspace_id', held: '$4', most: '$5', full: '$6', waiting: '$7' });

const firstWorkspace = (which: string): string => `
  (SELECT w.workspace_id FROM computation_tasks w
    WHERE w.is_external = $1 AND w.workspace_id ${which} AND w.workspace_id <> ALL ($3::int[]) AND ${FREE_ANYWHERE}
    ORDER BY w.workspace_id LIMIT 1)`;

/** The workspace with the next higher id than the one served last, or the first of the others. */
const NEXT_WORKSPACE = new Statement<{ workspace_id: number }>(
  `SELECT * FROM (${firstWorkspace('> $2')} UNION ALL ${firstWorkspace('<= $2')}) AS turns LIMIT 1`,
);

interface ClaimedTask extends Omit<ClaimedCells, 'columnKeys' | 'rows'> {
  columnKey: string;
  rows: string;
}

const FREE_HERE = free({ workspace: '$1', held: '$7', most: '$8', full: '$9', waiting: '$11' });

/**
 * Claims rows of the next free task of a workspace. Small chunk numbers come first, so that a large sheet does not
 * block small ones. Formula tasks of the same column in the next chunks are claimed together.
 *
 * In sheets of runs, the following columns are claimed too, unless other cells of the rows have to be computed before
 * or beside them: the worker takes each row through all of them. This does not count as an attempt at these columns.
 *
 * Rows whose worker died are claimed alone, in smaller and smaller parts: one of them may have crashed it. The rest of
 * a task becomes a separate task.
 *
 * The claim is committed before the work starts, so the work may take long, and a dead worker only loses its lease. The
 * commit does not wait for the disk: after a crash of the database the rows are simply claimed again.
 */
const CLAIM = new Statement<ClaimedTask>(`
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
  ), begun AS MATERIALIZED (
    SELECT c.*, ${firstRows('c.ready', 'c.most')} AS taken FROM chosen c
  ), left_to_do AS MATERIALIZED (
    SELECT w.id, w.rank, b.execution_id, b.taken
      FROM begun b JOIN sheets s ON s.workspace_id = $1 AND s.id = b.sheet_id AND s.owner = ANY ($10)
      JOIN computation_tasks w ON w.workspace_id = $1 AND (w.sheet_id, w.chunk_no) = (b.sheet_id, b.chunk_no)
     WHERE b.is_external AND b.attempts = 0 AND w.rank >= b.rank AND w.id <> b.id AND w.rows && b.taken
  ), candidates AS MATERIALIZED (
    SELECT w.*, l.taken FROM left_to_do l
      JOIN computation_tasks w ON w.workspace_id = $1 AND (w.id, w.execution_id) = (l.id, l.execution_id)
     WHERE w.is_external AND w.attempts = 0 AND ${unheld('$7', '$9')} AND w.rows @> l.taken
       FOR UPDATE OF w SKIP LOCKED
  ), ends AS (
    SELECT coalesce(min(rank), 32767) AS rank FROM (
      SELECT rank FROM left_to_do WHERE id NOT IN (SELECT id FROM candidates)
       UNION ALL SELECT rank FROM (SELECT rank FROM begun UNION ALL SELECT rank FROM left_to_do) r GROUP BY rank HAVING count(*) > 1) e
  ), taken AS MATERIALIZED (
    SELECT id, workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, is_external, rows, attempts, taken, 1 AS tries FROM begun
     UNION ALL
    SELECT id, workspace_id, sheet_id, execution_id, chunk_no, rank, column_key, is_external, rows, attempts, taken, 0
      FROM candidates WHERE rank < (SELECT rank FROM ends)
  ), claimed AS (
    UPDATE computation_tasks t
       SET rows = c.taken, claim = $3, lease_until = now() + $4 * interval '1 millisecond', attempts = t.attempts + c.tries
      FROM taken c, quick WHERE t.workspace_id = $1 AND t.id = c.id
    RETURNING t.*
  ), rest AS (
    INSERT INTO computation_tasks (${TASK_COLUMNS}, attempts)
    SELECT c.workspace_id, c.sheet_id, c.execution_id, c.chunk_no, c.rank, c.column_key, c.is_external, c.rows - c.taken, c.attempts
      FROM taken c WHERE NOT isempty(c.rows - c.taken)
  ), started AS (
    UPDATE executions e SET status = 'running' FROM claimed c
     WHERE e.workspace_id = $1 AND e.id = c.execution_id AND e.status = 'queued'
  )
  SELECT workspace_id AS "workspaceId", sheet_id AS "sheetId", column_key AS "columnKey", execution_id AS "executionId",
         rows, claim, attempts
    FROM claimed ORDER BY rank`);

export interface ClaimLimits {
  /** True for cells with external results, false for those that the server computes alone. */
  isExternal: boolean;
  /** Maximum number of rows of one task. */
  rows: number;
  /** Maximum number of rows of a task whose worker died once. */
  rowsOfSuspects: number;
  /** Skips tasks whose workers died more often. */
  mostAttempts?: number | null;
  /** Lower limits for some workspaces. */
  rooms?: Map<number, number>;
  /** Keys of columns of which this worker has enough cells. */
  fullColumns?: string[];
  /** Executions that must not start calls now. */
  waitingExecutions?: string[];
}

/** Milliseconds between attempts to claim locked rows; null ends them. */
const PAUSES_MS = [10, 20, 40, 80, 160, null];

/**
 * null when there is nothing to claim. A claim skips locked rows, because another worker may be claiming them. The lock
 * may also belong to a change of the sheet, whose end sends no notification. Free rows are therefore tried again for a
 * moment.
 */
export async function claimCells(
  db: EntityManager,
  turn: Turn,
  leaseMs: number,
  limits: ClaimLimits,
): Promise<ClaimedCells | null> {
  const { isExternal, mostAttempts = null, fullColumns = [], waitingExecutions = [] } = limits;
  const next = async ({ after, full, held }: Turn) => {
    const most = [held, mostAttempts, fullColumns, waitingExecutions];
    const [row] = await NEXT_WORKSPACE.run(db, [isExternal, after, full, ...most]);
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
  const { isExternal, rowsOfSuspects, mostAttempts = null, rooms, fullColumns = [], waitingExecutions = [] } = limits;
  const most = Math.min(limits.rows, rooms?.get(workspaceId) ?? Infinity);
  const others = [leaseMs, most, rowsOfSuspects, held, mostAttempts, fullColumns, RUN_OWNERS, waitingExecutions];
  const tasks = await CLAIM.run(db, [workspaceId, isExternal, randomUUID(), ...others]);
  if (tasks.length === 0) return null;
  const { columnKey: _, ...first } = tasks[0]!;
  const rows = RowSet.union(tasks.map((task) => RowSet.parse(task.rows)));
  const columnKeys = [...new Set(tasks.map(({ columnKey }) => columnKey))];
  return { ...first, columnKeys, rows, attempts: Math.max(...tasks.map((task) => task.attempts)) };
}
