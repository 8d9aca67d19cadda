import type { EntityManager } from 'typeorm';
import { SqlParameters } from '../../platform/filters/sql-parameters.js';
import { type SessionFilter, SessionRows } from './session-rows.js';

/**
 * Traces that are read for a page, the newest first. A page that is not full by then continues after the last of them.
 */
const MOST_WALKED = 10_000;
/** Characters of the input that lists show. */
const PREVIEW = 200;

export interface SessionTotals {
  trace_count: number;
  error_count: number;
  input_tokens: string;
  output_tokens: string;
  cost: string;
  unpriced_count: number;
  first_ns: string;
  last_ns: string;
  end_ns: string | null;
  user_ids: string[];
}

/** A trace that determines the position of its session. */
export interface SessionPlace {
  start_ns: string;
  trace_id: string;
}

export interface SessionOnPage extends SessionTotals, SessionPlace {
  session_id: string;
  last_input: string | null;
}

/** `end` is where the next page continues when this one is not full; null when nothing is left. */
export interface SessionPage {
  sessions: SessionOnPage[];
  end: SessionPlace | null;
}

/**
 * Up to `limit` sessions, those with the newest trace first. Traces are read from the newest: a session is listed at
 * its newest trace and skipped at all others. The cost of a page depends on the traces between its sessions; other
 * sessions are not summed up.
 */
export async function readSessions(
  db: EntityManager,
  filter: SessionFilter,
  { after, limit }: { after: SessionPlace | null; limit: number },
): Promise<SessionPage> {
  const parameters = new SqlParameters();
  const rows = new SessionRows(filter, parameters);
  const onward = after
    ? ` AND (x.start_ns, x.trace_id) < (${parameters.add(after.start_ns)}::bigint, ${parameters.add(after.trace_id)}::text COLLATE "C")`
    : '';
  const walk = `FROM trace_search x WHERE ${rows.searched('x')}${onward} ORDER BY x.start_ns DESC, x.trace_id DESC`;
  const asked = `${parameters.add(limit)}::int`;
  const found = await db.query<(SessionOnPage | (SessionPlace & { session_id: null }))[]>(
    `WITH page AS MATERIALIZED (
       SELECT w.session_id, w.start_ns, w.trace_id, w.last_input
         FROM (SELECT x.session_id, x.start_ns, x.trace_id, left(x.first_input, ${PREVIEW}) AS last_input
                 ${walk} LIMIT ${MOST_WALKED}) AS w
        WHERE EXISTS (${rows.traceOf('w')})
          AND NOT EXISTS (
            SELECT FROM trace_search n
             WHERE ${rows.inSession('n', 'w.session_id')} AND (n.start_ns, n.trace_id) > (w.start_ns, w.trace_id)
               AND EXISTS (${rows.traceOf('n')}) OFFSET 0)
        ORDER BY w.start_ns DESC, w.trace_id DESC LIMIT ${asked})
     SELECT page.session_id, page.start_ns, page.trace_id, page.last_input, totals.*
       FROM page CROSS JOIN LATERAL (${rows.totals('page.session_id')}) AS totals
     UNION ALL
     SELECT NULL, x.start_ns, x.trace_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
       FROM (SELECT x.start_ns, x.trace_id ${walk} OFFSET ${MOST_WALKED - 1} LIMIT 1) AS x
      WHERE (SELECT count(*) FROM page) < ${asked}
     ORDER BY start_ns DESC, trace_id DESC`,
    parameters.values,
  );
  const sessions = found.filter((row) => row.session_id !== null);
  return { sessions, end: found.find((row) => row.session_id === null) ?? null };
}

/** Totals of all traces of a session; null when there are none. */
export async function findSession(
  db: EntityManager,
  workspaceId: number,
  sessionId: string,
): Promise<SessionTotals | null> {
  const parameters = new SqlParameters();
  const rows = new SessionRows({ workspaceId }, parameters);
  const sql = rows.totals(`${parameters.add(sessionId)}::text`);
  const [totals] = await db.query<SessionTotals[]>(sql, parameters.values);
  return totals!.trace_count > 0 ? totals! : null;
}

/** A trace of a session. */
export interface SessionTurn extends SessionPlace {
  end_ns: string | null;
  name: string;
  status: string;
  error_message: string | null;
  first_input: string | null;
  last_output: string | null;
  models_used: string[];
  tool_names: string[];
  user_id: string | null;
  span_count: number;
  input_tokens: string;
  output_tokens: string;
  cost: string;
  unpriced_count: number | null;
}

/** Up to `limit` traces of a session in the order of their start. */
export function readTurns(
  db: EntityManager,
  { workspaceId, sessionId }: { workspaceId: number; sessionId: string },
  { after, limit }: { after: SessionPlace | null; limit: number },
): Promise<SessionTurn[]> {
  const parameters = new SqlParameters();
  const rows = new SessionRows({ workspaceId }, parameters);
  const inSession = rows.inSession('x', `${parameters.add(sessionId)}::text`);
  const onward = after
    ? ` AND (x.start_ns, x.trace_id) > (${parameters.add(after.start_ns)}::bigint, ${parameters.add(after.trace_id)}::text COLLATE "C")`
    : '';
  return db.query<SessionTurn[]>(
    `SELECT x.trace_id, x.start_ns, u.end_ns, x.name, x.status, x.error_message, x.first_input, x.last_output, x.models_used,
            x.tool_names, x.user_id, u.span_count, u.input_tokens, u.output_tokens, u.cost, u.unpriced_count
       FROM trace_search x CROSS JOIN LATERAL (${rows.traceOf('x')}) AS u
      WHERE ${inSession}${onward}
      ORDER BY x.start_ns, x.trace_id LIMIT ${parameters.add(limit)}::int`,
    parameters.values,
  );
}

/** Sessions and traces of a user, up to as many traces as are counted. */
export interface UserSessions {
  session_count: number;
  /** Start of the newest trace in a session; null without one. */
  last_ns: string | null;
}

export async function countSessionsOf(
  db: EntityManager,
  workspaceId: number,
  userId: string,
  limit: number,
): Promise<UserSessions> {
  const parameters = new SqlParameters();
  const rows = new SessionRows({ workspaceId, userId }, parameters);
  const [counted] = await db.query<UserSessions[]>(
    `SELECT count(DISTINCT session_id)::int AS session_count, max(start_ns)::text AS last_ns
       FROM (SELECT x.session_id, x.start_ns FROM trace_search x WHERE ${rows.searched('x')}
              ORDER BY x.start_ns DESC, x.trace_id DESC LIMIT ${parameters.add(limit)}::int) AS newest`,
    parameters.values,
  );
  return counted!;
}
