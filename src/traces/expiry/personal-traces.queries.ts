import type { DataSource, EntityManager } from 'typeorm';
import { eraseRows, namesPerson, type Sought } from '../../platform/database/erase-rows.js';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { addUpHoursOf, countSums } from '../../rollups/index.js';
import { TRACE_HOURS } from '../shared/trace-hours.js';
import { facet } from '../search/trace-facets.js';
import { traceConditions } from '../search/trace-matches.js';

export interface PersonalTrace {
  id: string;
  createdAt: Date;
}

/** The traces that have a pair in the metadata of any span. Traces that search has not read yet are missing. */
export async function findTracesOfPerson(
  db: EntityManager,
  workspaceId: number,
  { key, value }: { key: string; value: string },
): Promise<PersonalTrace[]> {
  const filter = { field: 'trace_metadata', operator: 'key_equals', nested_key: key, value };
  const parameters = new SqlParameters();
  const filterGroup = { logic: 'AND', filters: [filter] };
  const condition = await traceConditions(db, workspaceId, { filterGroup }, parameters);
  return db.query<PersonalTrace[]>(
    `SELECT t.trace_id AS id, t.created_at AS "createdAt" FROM traces t WHERE ${condition}`,
    parameters.values,
  );
}

/** The traces of logs: those that a log names, and those with the span that it names. */
export function findTracesOfLogs(
  db: EntityManager,
  workspaceId: number,
  { traceIds, spanIds }: { traceIds: string[]; spanIds: string[] },
): Promise<PersonalTrace[]> {
  return db.query<PersonalTrace[]>(
    `SELECT t.trace_id AS id, t.created_at AS "createdAt" FROM traces t
      WHERE t.workspace_id = $1 AND (t.trace_id = ANY($2::text[]) OR t.trace_id IN (
        SELECT l.trace_id FROM linkable_spans l WHERE l.workspace_id = $1 AND l.request_span_id = ANY($3::text[])))`,
    [workspaceId, traceIds, spanIds],
  );
}

/** The logs that clients have reported for spans of traces. */
export async function findReportedLogs(db: EntityManager, workspaceId: number, traceIds: string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }[]>(
    `SELECT DISTINCT c.log_id::text AS id FROM linkable_spans l
       JOIN log_claims c ON c.workspace_id = $1 AND c.span_id = l.request_span_id AND c.log_id IS NOT NULL
      WHERE l.workspace_id = $1 AND l.trace_id = ANY($2::text[])`,
    [workspaceId, traceIds],
  );
  return rows.map(({ id }) => id);
}

export async function countTraces(
  db: EntityManager,
  workspaceId: number,
  traceIds: string[],
): Promise<{ traces: number; spans: number }> {
  const [counted] = await db.query<{ traces: number; spans: number }[]>(
    `SELECT count(*)::int AS traces, coalesce(sum(span_count), 0)::int AS spans FROM traces
      WHERE workspace_id = $1 AND trace_id = ANY($2::text[])`,
    [workspaceId, traceIds],
  );
  return counted!;
}

/** A number greater than those of all changes of traces until now, and less than those of later ones. */
export async function lastTraceChange(db: EntityManager): Promise<string> {
  const [row] = await db.query<{ last: string }[]>(`SELECT nextval('trace_search_generations') AS last`);
  return row!.last;
}

/** Number of traces that wait for search: all, those changed up to the number `until`, or those with given ids. */
export async function countWaitingTraces(
  db: EntityManager,
  workspaceId: number,
  { until, traceIds }: { until?: string; traceIds?: readonly string[] },
): Promise<number> {
  const [row] = await db.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM trace_search_queue
      WHERE workspace_id = $1 AND ($2::bigint IS NULL OR generation <= $2) AND ($3::text[] IS NULL OR trace_id = ANY($3))`,
    [workspaceId, until ?? null, traceIds ?? null],
  );
  return row!.count;
}

/** Erases events of log records whose span never came. Other events are deleted with their traces. */
export function eraseLogEvents(tx: EntityManager, sought: Sought): Promise<number> {
  const { workspaceId, person, traceIds, isDryRun } = sought;
  const isOfTrace = 'w.trace_id = ANY($3::text[])';
  const goes = `${isOfTrace} AND EXISTS (SELECT FROM traces t WHERE t.workspace_id = $1 AND t.trace_id = w.trace_id)`;
  const where = `(${isOfTrace} OR ${namesPerson('w.attributes::text', '$2')}) AND NOT (${goes})`;
  const values = [workspaceId, person, traceIds];
  return eraseRows(tx, isDryRun, { table: 'span_log_events', key: 'trace_id, span_id, hash', where, values });
}

/** The resources and scopes of traces, as hexadecimal digits. */
export async function findSources(db: EntityManager, workspaceId: number, traceIds: string[]): Promise<string[]> {
  const rows = await db.query<{ hash: string }[]>(
    `SELECT DISTINCT encode(source_hash, 'hex') AS hash FROM spans WHERE workspace_id = $1 AND trace_id = ANY($2::text[])`,
    [workspaceId, traceIds],
  );
  return rows.map(({ hash }) => hash);
}

/**
 * Erases resources and scopes that no span of other traces has: those of the person's traces (`hashes`, in hexadecimal
 * digits) and those that name the person. The content is erased and the row stays: for an hour ingestion assumes that
 * it is there, and then stores it again.
 */
export function eraseSources(tx: EntityManager, sought: Sought, hashes: string[]): Promise<number> {
  const { workspaceId, person, traceIds, isDryRun } = sought;
  const isSought = `w.hash IN (SELECT decode(h, 'hex') FROM unnest($3::text[]) AS h) OR ${namesPerson('w.resource::text || w.scope::text', '$2')}`;
  const unused = `NOT EXISTS (SELECT FROM spans s WHERE s.workspace_id = $1 AND s.source_hash = w.hash AND s.trace_id <> ALL($4::text[]))`;
  const isThere = `(w.resource <> '{}' OR w.scope <> '{}')`;
  return eraseRows(tx, isDryRun, {
    table: 'span_sources',
    key: 'hash',
    where: `${isThere} AND (${isSought}) AND ${unused}`,
    values: [workspaceId, person, hashes, traceIds],
    set: `resource = '{}', scope = '{}'`,
  });
}

/** Recomputes the hours in which something was deleted. Returns the number of remaining sums about the user. */
export async function renewTraceHours(db: DataSource, workspaceId: number, user: string | null): Promise<number> {
  await addUpHoursOf(db, TRACE_HOURS, workspaceId);
  const facets = user === null ? [] : [facet(workspaceId, 'user', user)];
  return countSums(db.manager, TRACE_HOURS, { workspaceId, facets });
}
