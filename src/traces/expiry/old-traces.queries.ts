import type { EntityManager } from 'typeorm';
import { allowLongStatements } from '../../platform/database/within-time.js';
import { forgetDocuments } from '../../text-search/index.js';
import { TRACES } from '../search/trace-document.js';
import { lockSearchRows } from '../search/trace-queue.queries.js';

/** Limits of one transaction. A single trace may have more spans. */
const AT_ONCE = { traces: 500, spans: 5000 };

/**
 * Over `traces`; `$1` is the workspace and `$2` the number of days. A trace is as old as the last thing in it; one that
 * is still running is as old as its beginning.
 */
const CUTOFF = `((extract(epoch FROM now()) - $2::float8 * 86400) * 1000000)::bigint * 1000`;
const OLD = `workspace_id = $1 AND start_ns < ${CUTOFF} AND coalesce(end_ns, start_ns) < ${CUTOFF}`;

export interface OldTraces {
  count: number;
  spans: number;
  /** Start of the oldest and of the newest in nanoseconds since the epoch; null when there are none. */
  oldest: string | null;
  newest: string | null;
}

/** The traces that ended more than `days` days ago, whenever they were sent. */
export async function countOldTraces(db: EntityManager, workspaceId: number, days: number): Promise<OldTraces> {
  const [row] = await db.query<{ count: string; spans: string; oldest: string | null; newest: string | null }[]>(
    `SELECT count(*), coalesce(sum(span_count), 0) AS spans, min(start_ns) AS oldest, max(start_ns) AS newest
       FROM traces WHERE ${OLD}`,
    [workspaceId, days],
  );
  return { ...row!, count: Number(row!.count), spans: Number(row!.spans) };
}

/**
 * Deletes some of these traces, oldest first, with their spans and all data derived from them; returns how many, none
 * when nothing is left. Takes the lock on a trace that ingestion takes: spans that arrive meanwhile wait and create the
 * trace again. Skips traces that are being written. Keeps request logs.
 */
export async function deleteOldTraces(
  tx: EntityManager,
  workspaceId: number,
  days: number,
): Promise<{ traces: number; spans: number }> {
  return deleteLockedTraces(tx, workspaceId, await lockSome(tx, workspaceId, days));
}

/**
 * Like `deleteOldTraces`, for some of the traces with these ids. Waits for traces that are being written. The traces
 * leave search at once. `sources` are the resources and scopes of the deleted spans, in hexadecimal digits.
 */
export async function deleteTraces(tx: EntityManager, workspaceId: number, traceIds: string[]): Promise<DeletedTraces> {
  const found = await tx.query<LockedTrace[]>(
    `SELECT trace_id, span_count FROM traces WHERE workspace_id = $1 AND trace_id = ANY($2::text[])
      ORDER BY trace_id LIMIT ${AT_ONCE.traces} FOR UPDATE`,
    [workspaceId, traceIds],
  );
  const deleted = fitting(found);
  const counts = await deleteLockedTraces(tx, workspaceId, deleted);
  // The trigger has queued the traces for search. A worker that has already read one cannot write it, because its claim
  // is in the deleted row of the queue.
  await forgetDocuments(tx, { workspaceId, kind: TRACES }, deleted);
  await tx.query('DELETE FROM trace_search_queue WHERE workspace_id = $1 AND trace_id = ANY($2::text[])', [
    workspaceId,
    deleted,
  ]);
  return counts;
}

export interface DeletedTraces {
  traces: number;
  spans: number;
  sources: string[];
}

async function deleteLockedTraces(tx: EntityManager, workspaceId: number, traceIds: string[]): Promise<DeletedTraces> {
  if (traceIds.length === 0) return { traces: 0, spans: 0, sources: [] };
  const values = [workspaceId, traceIds];
  // A single trace may have very many spans.
  await allowLongStatements(tx);
  const OF_THESE = 'workspace_id = $1 AND trace_id = ANY($2::text[])';
  // A worker that has just read one of them would write its search rows after they are deleted here.
  await lockSearchRows(
    tx,
    traceIds.map((traceId) => ({ workspaceId, traceId })),
  );
  for (const table of ['trace_search_queue', 'trace_search', 'span_search', 'span_log_events']) {
    await tx.query(`DELETE FROM ${table} WHERE ${OF_THESE}`, values);
  }
  const [links] = await tx.query<[{ request_span_id: string }[], number]>(
    `DELETE FROM linkable_spans WHERE ${OF_THESE} RETURNING request_span_id`,
    values,
  );
  await deleteEmptyClaims(tx, workspaceId, [...new Set(links.map((link) => link.request_span_id))]);
  const [gone] = await tx.query<[{ spans: number; sources: string[] }]>(
    `WITH gone AS (DELETE FROM spans WHERE ${OF_THESE} RETURNING source_hash)
     SELECT count(*)::int AS spans, coalesce(array_agg(DISTINCT encode(source_hash, 'hex')), '{}') AS sources FROM gone`,
    values,
  );
  await tx.query(`DELETE FROM traces WHERE ${OF_THESE}`, values);
  return { traces: traceIds.length, ...gone };
}

interface LockedTrace {
  trace_id: string;
  span_count: number;
}

async function lockSome(tx: EntityManager, workspaceId: number, days: number): Promise<string[]> {
  const found = await tx.query<LockedTrace[]>(
    `SELECT trace_id, span_count FROM traces WHERE ${OLD} ORDER BY start_ns LIMIT ${AT_ONCE.traces} FOR UPDATE SKIP LOCKED`,
    [workspaceId, days],
  );
  return fitting(found);
}

/** The first traces that can be deleted in one transaction. */
function fitting(found: LockedTrace[]): string[] {
  let spans = 0;
  const some = found.filter(({ span_count: count }, index) => (spans += count) <= AT_ONCE.spans || index === 0);
  return some.map((trace) => trace.trace_id);
}

/** A claim without a log is only a lock; it is created again when it is needed. */
async function deleteEmptyClaims(tx: EntityManager, workspaceId: number, spanIds: string[]): Promise<void> {
  if (spanIds.length === 0) return;
  await tx.query(
    `DELETE FROM log_claims c WHERE workspace_id = $1 AND span_id = ANY($2::text[]) AND log_id IS NULL
        AND NOT EXISTS (SELECT FROM linkable_spans l WHERE l.workspace_id = $1 AND l.request_span_id = c.span_id)`,
    [workspaceId, spanIds],
  );
}
