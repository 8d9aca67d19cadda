import type { SqlParameters } from '../../platform/filters/sql-parameters.js';

/** Which traces count; by default all traces of a session. */
export interface SessionFilter {
  workspaceId: number;
  userId?: string | null;
  origins?: readonly string[] | null;
  environment?: string | null;
  /** Bounds of the start of a trace, in nanoseconds: `from` is included, `to` is not. */
  from?: string | null;
  to?: string | null;
}

/** Number of first characters that the indexes contain. */
const INDEXED = 200;
/** Traces of a session that are summed up, the newest first: a session can be as large as a workspace. */
export const MOST_COUNTED = 10_000;
/** Users of a session that are shown. */
const MOST_USERS = 5;

/** Condition that a text equals a value, in the form that its index uses. */
const isText = (column: string, value: string): string =>
  `"left"(${column}, ${INDEXED}) = "left"(${value}, ${INDEXED}) AND ${column} = ${value}`;

/** Conditions of one statement over rows of traces that are in sessions. */
export class SessionRows {
  private readonly ofSearch: (row: string) => string;
  private readonly ofTrace: (row: string) => string;

  constructor(filter: SessionFilter, parameters: SqlParameters) {
    const { workspaceId, userId, origins, environment, from, to } = filter;
    const added = (value: unknown, type: string) => (value == null ? null : `${parameters.add(value)}::${type}`);
    const workspace = added(workspaceId, 'int')!;
    const [user, start, end] = [added(userId, 'text'), added(from, 'bigint'), added(to, 'bigint')];
    const [made, place] = [added(origins, 'text[]'), added(environment, 'text')];
    this.ofSearch = (row) =>
      [
        `${row}.workspace_id = ${workspace}`,
        `${row}.session_id IS NOT NULL`,
        ...(user ? [isText(`${row}.user_id`, user)] : []),
        ...(start ? [`${row}.start_ns >= ${start}`] : []),
        ...(end ? [`${row}.start_ns < ${end}`] : []),
      ].join(' AND ');
    this.ofTrace = (row) =>
      [
        `${row}.workspace_id = ${workspace}`,
        `${row}.span_count > 0`,
        ...(made ? [`${row}.origin = ANY(${made})`] : []),
        ...(place ? [`${row}.environment = ${place}`] : []),
      ].join(' AND ');
  }

  /** Condition on a row of `trace_search` by its own columns. */
  searched(row: string): string {
    return this.ofSearch(row);
  }

  inSession(row: string, sessionId: string): string {
    return `${this.ofSearch(row)} AND ${isText(`${row}.session_id`, sessionId)}`;
  }

  /** The trace of a row of `trace_search`. OFFSET 0: one by one along the primary key. */
  traceOf(row: string): string {
    return `SELECT * FROM traces t WHERE t.trace_id = ${row}.trace_id AND ${this.ofTrace('t')} OFFSET 0`;
  }

  /** The totals of the newest traces of a session, in one row. */
  totals(sessionId: string): string {
    return `
      SELECT count(*)::int AS trace_count, count(*) FILTER (WHERE error_count > 0)::int AS error_count,
             coalesce(sum(input_tokens), 0)::text AS input_tokens, coalesce(sum(output_tokens), 0)::text AS output_tokens,
             coalesce(sum(cost), 0)::text AS cost, coalesce(sum(unpriced_count), 0)::int AS unpriced_count,
             min(start_ns)::text AS first_ns, max(start_ns)::text AS last_ns, max(end_ns)::text AS end_ns,
             coalesce((array_agg(DISTINCT user_id) FILTER (WHERE user_id IS NOT NULL))[1:${MOST_USERS}], '{}') AS user_ids
        FROM (SELECT y.start_ns, y.user_id, u.end_ns, u.error_count, u.input_tokens, u.output_tokens, u.cost, u.unpriced_count
                FROM trace_search y CROSS JOIN LATERAL (${this.traceOf('y')}) AS u
               WHERE ${this.inSession('y', sessionId)}
               ORDER BY y.start_ns DESC, y.trace_id DESC LIMIT ${MOST_COUNTED}) AS counted`;
  }
}
