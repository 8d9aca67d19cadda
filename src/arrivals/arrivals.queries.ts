import type { EntityManager } from 'typeorm';
import { int4Array, textArray } from '../platform/database/binary-arrays.js';
import { Statement } from '../platform/database/statement.js';
import type { ArrivalKind } from './arrivals.entities.js';

/** Value in `arrived_waits` of a trace whose closing has an entry. */
const CLOSED = -1;

/** Locks the row of the log until the commit, so entries are numbered in the order of their commits. */
const APPEND = new Statement<{ last_seq: string }>(`
  WITH log AS (
    UPDATE arrival_logs SET last_seq = last_seq + $3::int WHERE workspace_id = $1 AND kind = 'requests' RETURNING last_seq
  ), written AS (
    INSERT INTO arrivals (workspace_id, kind, seq, item_id)
    SELECT $1, 'requests', log.last_seq - $3::int + n.place, n.id
      FROM log, unnest($2::text[]) WITH ORDINALITY AS n (id, place))
  SELECT last_seq FROM log`);

/** Adds entries for new request logs. Returns false if they have no readers. */
export async function addArrivedLogs(tx: EntityManager, workspaceId: number, ids: readonly string[]): Promise<boolean> {
  return ids.length > 0 && (await APPEND.run(tx, [workspaceId, textArray(ids), ids.length])).length > 0;
}

const IS_READ = new Statement<{ one: number }>(
  `SELECT 1 AS one FROM arrival_logs WHERE workspace_id = $1 AND kind = 'traces'`,
);

const GROWN = new Statement(`
  INSERT INTO open_traces (workspace_id, trace_id, changed_at, span_count)
  SELECT $1, t.trace_id, clock.now, t.span_count
    FROM (SELECT clock_timestamp()) AS clock (now), traces t
    JOIN trace_search x ON x.workspace_id = $1 AND x.trace_id = t.trace_id
   WHERE t.workspace_id = $1 AND t.trace_id = ANY($2::text[]) AND t.closed_at IS NULL
     AND t.span_count IS DISTINCT FROM x.arrived_spans
   ORDER BY t.trace_id
  ON CONFLICT (workspace_id, trace_id) DO UPDATE
    SET changed_at = excluded.changed_at, span_count = excluded.span_count, arrived_waits = '{}'
  WHERE open_traces.span_count <> excluded.span_count`);

const END = new Statement(`
  WITH closed AS MATERIALIZED (
    SELECT t.trace_id, t.span_count, coalesce(x.arrived_waits, '{}') AS known,
           CASE WHEN o.trace_id IS NOT NULL THEN CASE WHEN o.span_count = t.span_count THEN o.arrived_waits ELSE '{}' END
                WHEN x.arrived_spans = t.span_count THEN x.arrived_waits ELSE '{}' END AS current,
           row_number() OVER (ORDER BY t.trace_id) AS place, count(*) OVER () AS all_of_them
      FROM traces t
      JOIN trace_search x ON x.workspace_id = $1 AND x.trace_id = t.trace_id
      LEFT JOIN open_traces o ON o.workspace_id = $1 AND o.trace_id = t.trace_id
     WHERE t.workspace_id = $1 AND t.trace_id = ANY($2::text[]) AND t.closed_at IS NOT NULL
       AND (x.arrived_waits IS NULL OR ${CLOSED} <> ALL (x.arrived_waits))
  ), log AS (
    UPDATE arrival_logs SET last_seq = last_seq + (SELECT count(*) FROM closed)
     WHERE workspace_id = $1 AND kind = 'traces' RETURNING last_seq
  ), marked AS (
    UPDATE trace_search x SET arrived_waits = array_append(c.known, ${CLOSED}), arrived_spans = c.span_count
      FROM closed c WHERE x.workspace_id = $1 AND x.trace_id = c.trace_id
  ), gone AS (
    DELETE FROM open_traces o USING closed c WHERE o.workspace_id = $1 AND o.trace_id = c.trace_id
  )
  INSERT INTO arrivals (workspace_id, kind, seq, item_id, known, current)
  SELECT $1, 'traces', log.last_seq - c.all_of_them + c.place, c.trace_id, c.known, c.current FROM closed c, log`);

/**
 * Records changed traces if their arrivals have readers. Closed traces arrive at once, open ones after a quiet time. Call this last
 * in the transaction that wrote their search rows. Returns false if they have no readers.
 */
export async function noteChangedTraces(
  tx: EntityManager,
  workspaceId: number,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0 || (await IS_READ.run(tx, [workspaceId])).length === 0) return false;
  await GROWN.run(tx, [workspaceId, textArray(ids)]);
  await END.run(tx, [workspaceId, textArray(ids)]);
  return true;
}

/** Maximum number of quiet traces that become entries in one statement. */
const MOST_QUIET = 1000;

/**
 * Skips locked traces; the next call takes them. Transactions that make a trace searchable lock its search row before its row in
 * `open_traces`, and hold both locks until the commit.
 */
const QUIET = new Statement<{ added: number }>(`
  WITH due AS MATERIALIZED (
    SELECT o.trace_id, o.span_count, coalesce(x.arrived_waits, '{}') AS known,
           o.changed_at + $2::int * interval '1 second' AS quiet_at
      FROM open_traces o JOIN trace_search x ON x.workspace_id = $1 AND x.trace_id = o.trace_id
     WHERE o.workspace_id = $1 AND o.changed_at <= now() - $3::int * interval '1 second' AND $2::int <> ALL (o.arrived_waits)
     ORDER BY o.changed_at LIMIT ${MOST_QUIET} FOR UPDATE SKIP LOCKED
  ), numbered AS MATERIALIZED (
    SELECT *, row_number() OVER (ORDER BY trace_id) AS place, count(*) OVER () AS all_of_them FROM due
  ), log AS (
    UPDATE arrival_logs SET last_seq = last_seq + (SELECT count(*) FROM numbered)
     WHERE workspace_id = $1 AND kind = 'traces' RETURNING last_seq
  ), noted AS (
    UPDATE open_traces o SET arrived_waits = array_append(o.arrived_waits, $2::int) FROM numbered n
     WHERE o.workspace_id = $1 AND o.trace_id = n.trace_id
  ), remembered AS (
    UPDATE trace_search x SET arrived_spans = n.span_count,
           arrived_waits = CASE WHEN $2::int = ANY (n.known) THEN n.known ELSE array_append(n.known, $2::int) END
      FROM numbered n WHERE x.workspace_id = $1 AND x.trace_id = n.trace_id
  ), written AS (
    INSERT INTO arrivals (workspace_id, kind, seq, item_id, arrived_at, quiet_seconds, known)
    SELECT $1, 'traces', log.last_seq - n.all_of_them + n.place, n.trace_id, n.quiet_at, $2::int, n.known FROM numbered n, log)
  SELECT count(*)::int AS added FROM numbered`);

/**
 * Adds entries for open traces after the quiet time of some readers, and returns their number. `since` limits this to traces that have
 * been quiet for as many seconds.
 */
export async function addQuietTraces(
  tx: EntityManager,
  workspaceId: number,
  { quietSeconds, since = quietSeconds }: { quietSeconds: number; since?: number },
): Promise<number> {
  const [row] = await QUIET.run(tx, [workspaceId, quietSeconds, since]);
  return row!.added;
}

/** Deletes open traces that all readers have an entry of. `waits` are the quiet times of all readers of the workspace. */
export async function forgetOpenTraces(tx: EntityManager, workspaceId: number, waits: number[]): Promise<void> {
  const longest = Math.max(0, ...waits);
  await tx.query(
    `DELETE FROM open_traces WHERE workspace_id = $1 AND changed_at < now() - $2::int * interval '1 second' 
        AND (arrived_waits @> $3::int[] OR NOT EXISTS (
          SELECT FROM trace_search x WHERE x.workspace_id = $1 AND x.trace_id = open_traces.trace_id))`,
    [workspaceId, longest, int4Array(waits)],
  );
}

/** Creates the log of a kind if it does not exist. Returns the number of its last entry; later entries have higher numbers. */
export async function openArrivals(tx: EntityManager, workspaceId: number, kind: ArrivalKind): Promise<string> {
  const [log] = await tx.query<{ last_seq: string }[]>(
    `INSERT INTO arrival_logs (workspace_id, kind) VALUES ($1, $2)
     ON CONFLICT (workspace_id, kind) DO UPDATE SET kind = excluded.kind RETURNING last_seq`,
    [workspaceId, kind],
  );
  return log!.last_seq;
}

/** Deletes the log of a kind that has no readers any more. */
export async function closeArrivals(tx: EntityManager, workspaceId: number, kind: ArrivalKind): Promise<void> {
  await tx.query('DELETE FROM arrival_logs WHERE workspace_id = $1 AND kind = $2', [workspaceId, kind]);
  await tx.query('DELETE FROM arrivals WHERE workspace_id = $1 AND kind = $2', [workspaceId, kind]);
  if (kind === 'traces') await tx.query('DELETE FROM open_traces WHERE workspace_id = $1', [workspaceId]);
}

/** An entry for readers. */
export interface ReadArrival {
  seq: string;
  itemId: string;
  arrivedAt: Date;
  /** Seconds since then. */
  waitedSeconds: number;
  quietSeconds: number | null;
  known: number[];
  current: number[];
}

/** Reads entries after a position, in order. */
export function readArrivals(
  tx: EntityManager,
  { workspaceId, kind }: { workspaceId: number; kind: ArrivalKind },
  { after, limit }: { after: string; limit: number },
): Promise<ReadArrival[]> {
  return tx.query(
    `SELECT seq, item_id AS "itemId", arrived_at AS "arrivedAt", extract(epoch FROM now() - arrived_at)::float8 AS "waitedSeconds",
            quiet_seconds AS "quietSeconds", known, current
       FROM arrivals WHERE workspace_id = $1 AND kind = $2 AND seq > $3::bigint ORDER BY seq LIMIT $4::int`,
    [workspaceId, kind, after, limit],
  );
}

/** Deletes entries up to a position that all readers have passed. */
export async function forgetArrivals(
  tx: EntityManager,
  { workspaceId, kind }: { workspaceId: number; kind: ArrivalKind },
  upTo: string,
): Promise<void> {
  await tx.query('DELETE FROM arrivals WHERE workspace_id = $1 AND kind = $2 AND seq <= $3::bigint', [
    workspaceId,
    kind,
    upTo,
  ]);
}
