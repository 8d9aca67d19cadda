import type { TraceKey } from '../ingestion/incoming-span.js';
import type { EntityManager } from 'typeorm';
import { int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import { claimInTurn } from '../../platform/work/claim-in-turn.js';
import type { Turn } from '../../platform/work/work-kind.js';
import type { Waiting } from '../../text-search/index.js';
import { isFree } from '../../platform/work/free-lease.js';

/** Time before a worker reads a changed trace: this much per span, up to the limit. */
const WAIT_PER_SPAN = `interval '5 milliseconds'`;
const LONGEST_WAIT = `interval '30 seconds'`;

/**
 * Time at which a changed trace is due. Without the delay a large growing trace would be read again for every batch. A
 * subquery per trace, because with a join the planner may read the whole table of traces for every batch. The workspace
 * is $1.
 */
const dueAt = (trace: string): string => `now() + least(${LONGEST_WAIT}, ${WAIT_PER_SPAN} * (
    SELECT t.span_count FROM traces t WHERE t.workspace_id = $1 AND t.trace_id = ${trace}.trace_id))`;

/** A trace that waits already keeps its due time and gets another generation. */
const QUEUE = new Statement(`
  INSERT INTO trace_search_queue (workspace_id, trace_id, generation, due_at)
  SELECT $1, changed.trace_id, nextval('trace_search_generations'), ${dueAt('changed')}
    FROM (SELECT DISTINCT * FROM unnest($2::text[])) AS changed (trace_id)
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET generation = excluded.generation`);

/**
 * Queues changed traces of the transaction, which must hold their locks: those keep two transactions from queueing the
 * same traces in different orders.
 */
export const queueTraces = (traces: TraceKey[]): Step[] =>
  traces.length > 0 ? [QUEUE.with([workspaceOf(traces), idColumn(traces)])] : [];

/** A trace whose search rows this process may write, until another one claims it. */
export interface ClaimedTrace extends TraceKey {
  /** Generation of the trace when it was claimed: data that is read later is at least as new. */
  generation: string;
  claim: string;
  spanCount: number;
}

interface ClaimedRow {
  workspace_id: number;
  trace_id: string;
  generation: string;
  claim: string;
  span_count: number;
}

export const FREE = isFree('q');

/**
 * `chosen` are ids of traces of the workspace $1; the claims hold for $2 milliseconds. Subqueries that choose rows of
 * the queue are MATERIALIZED, here and below. The queue may have grown ten-thousandfold since the planner's statistics,
 * and otherwise such a subquery would run, and lock, again for every row.
 */
const claimOf = (chosen: string) => `
  WITH n AS MATERIALIZED (
    SELECT chosen.trace_id, nextval('trace_search_generations') AS claim, now() + $2::int * interval '1 ms' AS until,
           coalesce(t.span_count, 0) AS span_count
      FROM (${chosen}) AS chosen LEFT JOIN traces t ON t.workspace_id = $1 AND t.trace_id = chosen.trace_id)
  UPDATE trace_search_queue q SET claim = n.claim, lease_until = n.until
    FROM n WHERE q.workspace_id = $1 AND q.trace_id = n.trace_id
  RETURNING q.workspace_id, q.trace_id, q.generation, q.claim, n.span_count`;

/**
 * The workspaces that have traces in the queue. There are few, so the query jumps from one to the next in the index.
 */
export const WAITING = `
  WITH RECURSIVE waiting (id) AS (
    SELECT min(workspace_id) FROM trace_search_queue
    UNION ALL
    SELECT (SELECT min(workspace_id) FROM trace_search_queue WHERE workspace_id > waiting.id)
      FROM waiting WHERE id IS NOT NULL)`;

const NEXT_WORKSPACE = new Statement<{ id: number }>(`${WAITING}
  SELECT id FROM waiting
   WHERE id <> ALL($2::int[])
     AND EXISTS (SELECT FROM trace_search_queue q WHERE q.workspace_id = waiting.id AND q.due_at <= now() AND ${FREE})
   ORDER BY id <= $1::int, id LIMIT 1`);

/** Up to $3 traces, and no further one after $4 spans: few large ones, so that some are left for other workers. */
const CLAIM_DUE = claimOf(`
  SELECT trace_id FROM (
    SELECT trace_id, sum(spans) OVER (ORDER BY due_at DESC, trace_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
      FROM (SELECT due.*, (SELECT t.span_count FROM traces t WHERE t.workspace_id = $1 AND t.trace_id = due.trace_id) AS spans
              FROM (SELECT q.trace_id, q.due_at FROM trace_search_queue q
                     WHERE q.workspace_id = $1 AND q.due_at <= now() AND ${FREE}
                     ORDER BY q.due_at DESC LIMIT $3 FOR UPDATE SKIP LOCKED) AS due) AS counted) AS ordered
   WHERE coalesce(before, 0) < $4`);

/**
 * Claims due traces of the workspace whose turn it is, the last changed first, up to a number of traces and of spans
 * together; none when there are none. Never waits for a lock.
 */
export async function claimDueTraces(
  db: EntityManager,
  turn: Turn,
  { leaseMs, limit, spans }: { leaseMs: number; limit: number; spans: number },
): Promise<ClaimedTrace[]> {
  const { claimed } = await claimInTurn(turn, {
    next: async ({ after, full }) => (await NEXT_WORKSPACE.run(db, [after, full]))[0]?.id ?? null,
    claim: async (workspaceId) => {
      const [rows] = await db.query<[ClaimedRow[], number]>(CLAIM_DUE, [workspaceId, leaseMs, limit, spans]);
      return rows.length > 0 ? rows.map(toClaim) : null;
    },
  });
  return claimed ?? [];
}

const CLAIM = claimOf(`
  SELECT q.trace_id FROM trace_search_queue q
   WHERE q.workspace_id = $1 AND q.trace_id = ANY($3::text[]) AND (${FREE} OR q.claim = ANY($4::bigint[]))
   FOR UPDATE SKIP LOCKED`);

/** Claims traces that nobody has claimed, due or not, and traces whose claim is taken over. Never waits for a lock. */
export async function claimTraces(
  db: EntityManager,
  workspaceId: number,
  { ids, takenOver, leaseMs }: { ids: readonly string[]; takenOver: readonly string[]; leaseMs: number },
): Promise<ClaimedTrace[]> {
  const [rows] = await db.query<[ClaimedRow[], number]>(CLAIM, [workspaceId, leaseMs, ids, takenOver]);
  return rows.map(toClaim);
}

/** Traces that could not be read are put off for longer than any other trace waits. */
const PUT_OFF = `due_at > now() + ${LONGEST_WAIT}`;

/** Some traces that wait, and the claims that hold on them. */
export interface QueuedTraces {
  ids: string[];
  claims: string[];
}

interface NewestRow {
  trace_id: string;
  claim: string | null;
  span_count: number;
}

/** The last changed traces of a workspace, up to a number of traces and of spans together. `isCut` when more wait. */
export async function readNewestQueued(
  db: EntityManager,
  workspaceId: number,
  { limit, spans }: { limit: number; spans: number },
): Promise<{ traces: QueuedTraces; isCut: boolean }> {
  const [{ newest, any_put_off: isAnyPutOff }] = await db.query<[{ newest: NewestRow[]; any_put_off: boolean }]>(
    `SELECT EXISTS (SELECT FROM trace_search_queue WHERE workspace_id = $1 AND ${PUT_OFF}) AS any_put_off,
            (SELECT coalesce(json_agg(row ORDER BY row.due_at DESC, row.trace_id), '[]') FROM (
               SELECT q.trace_id, q.due_at, t.span_count, CASE WHEN NOT ${FREE} THEN q.claim::text END AS claim
                 FROM (SELECT * FROM trace_search_queue WHERE workspace_id = $1 AND NOT ${PUT_OFF}
                        ORDER BY due_at DESC LIMIT $2) AS q
                 JOIN traces t ON t.workspace_id = $1 AND t.trace_id = q.trace_id) AS row) AS newest`,
    [workspaceId, limit + 1],
  );
  let sum = 0;
  const taken = newest.slice(0, limit).filter(({ span_count: count }) => count <= spans && (sum += count) <= spans);
  const claims = taken.flatMap(({ claim }) => claim ?? []);
  const traces = { ids: taken.map((row) => row.trace_id), claims };
  return { traces, isCut: isAnyPutOff || taken.length < newest.length };
}

/** A trace that waits; `isPutOff` when it could not be read. */
export interface QueuedTrace {
  traceId: string;
  generation: string;
  isPutOff: boolean;
}

/** The traces, among some, that wait now. */
export async function readQueued(
  db: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<QueuedTrace[]> {
  if (ids.length === 0) return [];
  return db.query<QueuedTrace[]>(
    `SELECT trace_id AS "traceId", generation, ${PUT_OFF} AS "isPutOff" FROM trace_search_queue
      WHERE workspace_id = $1 AND trace_id = ANY($2::text[])`,
    [workspaceId, ids],
  );
}

/** Waiting traces whose rows are checked, the last changed first. */
const MOST_LOOKED_AT = 1000;

/**
 * The traces of a workspace that have changed since they were indexed. Beyond the newest ones, traces are found in the
 * version that was last indexed.
 */
export async function readWaitingTraces(db: EntityManager, workspaceId: number): Promise<Waiting> {
  const rows = await db.query<{ trace_id: string }[]>(
    'SELECT trace_id FROM trace_search_queue WHERE workspace_id = $1 ORDER BY due_at DESC LIMIT $2',
    [workspaceId, MOST_LOOKED_AT + 1],
  );
  const ids = rows.map((row) => row.trace_id);
  return { ids: ids.slice(0, MOST_LOOKED_AT), isCut: ids.length > MOST_LOOKED_AT };
}

/**
 * Makes all who write or delete search rows of these traces wait for each other until the end of the transaction.
 * Ingestion does not take these locks, so it never waits for a worker.
 */
export async function lockSearchRows(tx: EntityManager, traces: TraceKey[]): Promise<void> {
  const names = traces.map(({ workspaceId, traceId }) => `${workspaceId}:${traceId}`).sort();
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended(name, 7)) FROM unnest($1::text[]) AS name`, [names]);
}

/** Locks the search rows of claimed traces until the end of the transaction, and gives the claims that still hold. */
export async function holdClaims(tx: EntityManager, claims: ClaimedTrace[]): Promise<ClaimedTrace[]> {
  await lockSearchRows(tx, claims);
  const rows = await tx.query<{ claim: string }[]>(
    `SELECT q.claim FROM trace_search_queue q JOIN unnest($2::text[], $3::bigint[]) AS c (trace_id, claim)
         ON q.trace_id = c.trace_id AND q.claim = c.claim WHERE q.workspace_id = $1`,
    claimColumns(claims),
  );
  const held = new Set(rows.map((row) => row.claim));
  return claims.filter(({ claim }) => held.has(claim));
}

/**
 * Removes traces from the queue that did not change since they were claimed; returns their claims. A row that ingestion
 * holds is about to change, so it is skipped: two transactions with several rows would wait for each other.
 */
export async function removeFromQueue(tx: EntityManager, claims: ClaimedTrace[]): Promise<Set<string>> {
  const [rows] = await tx.query<[{ claim: string }[], number]>(
    `WITH done AS MATERIALIZED (
       SELECT q.trace_id FROM trace_search_queue q
         JOIN unnest($2::text[], $3::bigint[], $4::bigint[]) AS c (trace_id, claim, generation)
           ON q.trace_id = c.trace_id AND q.claim = c.claim AND q.generation = c.generation
        WHERE q.workspace_id = $1 FOR UPDATE OF q SKIP LOCKED)
     DELETE FROM trace_search_queue WHERE workspace_id = $1 AND trace_id IN (SELECT trace_id FROM done) RETURNING claim`,
    [...claimColumns(claims), int8Array(claims.map(({ generation }) => BigInt(generation)))],
  );
  return new Set(rows.map((row) => row.claim));
}

/**
 * Releases claims: their traces changed meanwhile and wait again, or could not be read and wait for `waitMs`. A renewal
 * that is on its way does not find them any more.
 */
export async function releaseClaims(db: EntityManager, claims: ClaimedTrace[], waitMs = 0): Promise<void> {
  if (claims.length === 0) return;
  await db.query(
    `UPDATE trace_search_queue q
        SET claim = NULL, lease_until = NULL, due_at = greatest(${dueAt('q')}, now() + $4::int * interval '1 ms')
       FROM unnest($2::text[], $3::bigint[]) AS c (trace_id, claim)
      WHERE q.workspace_id = $1 AND q.trace_id = c.trace_id AND q.claim = c.claim`,
    [...claimColumns(claims), waitMs],
  );
}

/** Renews claims. A locked row is skipped: the next renewal is soon enough. */
export async function renewClaims(db: EntityManager, claims: ClaimedTrace[], leaseMs: number): Promise<void> {
  await db.query(
    `WITH held AS MATERIALIZED (
       SELECT q.trace_id FROM trace_search_queue q
         JOIN unnest($2::text[], $3::bigint[]) AS c (trace_id, claim) ON q.trace_id = c.trace_id AND q.claim = c.claim
        WHERE q.workspace_id = $1 FOR UPDATE OF q SKIP LOCKED)
     UPDATE trace_search_queue SET lease_until = now() + $4::int * interval '1 ms'
      WHERE workspace_id = $1 AND trace_id IN (SELECT trace_id FROM held)`,
    [...claimColumns(claims), leaseMs],
  );
}

const idColumn = (traces: TraceKey[]): Buffer => textArray(traces.map(({ traceId }) => traceId));

/** The workspace, the ids and the claims. */
function claimColumns(claims: ClaimedTrace[]): unknown[] {
  return [workspaceOf(claims), idColumn(claims), int8Array(claims.map(({ claim }) => BigInt(claim)))];
}

function toClaim(row: ClaimedRow): ClaimedTrace {
  return {
    workspaceId: row.workspace_id,
    traceId: row.trace_id,
    generation: row.generation,
    claim: row.claim,
    spanCount: row.span_count,
  };
}
