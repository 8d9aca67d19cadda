import type { TraceKey } from './incoming-span.js';
import { textArray } from '../../platform/database/binary-arrays.js';
import { Columns } from '../../platform/database/columns.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import { SPAN_STATUSES } from '../span.js';
import { LOG_LINKS } from './incoming-span.js';
import type { TraceSummary } from './trace-summary.js';

const COUNTS_LOG = `request_log_id IS NOT NULL AND log_link <> ${LOG_LINKS.MANAGED}`;

/**
 * What spans say of their trace, as an aggregate over rows of `spans`; of spans that are new `TraceSummaries` says the same.
 * Agent and chain spans repeat the usage of their children: only spans with a request log count, and of those that share
 * one only the span it was reported for. The root is the earliest span without a parent. No span ends before it starts, whatever
 * the clocks said.
 */
const SUMMARY = `
  count(*) AS span_count,
  count(*) FILTER (WHERE status = ${SPAN_STATUSES.ERROR}) AS error_count,
  coalesce(sum(input_tokens) FILTER (WHERE ${COUNTS_LOG}), 0) AS input_tokens,
  coalesce(sum(output_tokens) FILTER (WHERE ${COUNTS_LOG}), 0) AS output_tokens,
  coalesce(sum(cost::numeric) FILTER (WHERE ${COUNTS_LOG}), 0) AS cost,
  count(*) FILTER (WHERE cost IS NULL AND ${COUNTS_LOG}) AS unpriced_count,
  min(start_ns) AS start_ns,
  max(greatest(start_ns, end_ns)) FILTER (WHERE end_ns IS NOT NULL) AS end_ns,
  min(start_ns) FILTER (WHERE parent_id IS NULL) AS root_start_ns,
  (array_agg(span_id ORDER BY start_ns, span_id COLLATE "C") FILTER (WHERE parent_id IS NULL))[1] AS root_span_id,
  (array_agg(name ORDER BY start_ns, span_id COLLATE "C") FILTER (WHERE parent_id IS NULL))[1] AS root_name`;

/** The columns of `traces` that such an aggregate fills, in its order. */
const SUMMARY_COLUMNS = `
  span_count, error_count, input_tokens, output_tokens, cost, unpriced_count, start_ns, end_ns, root_start_ns, root_span_id,
  root_name`;

/**
 * An INSERT that finds every trace there: a conflict is looked up in the primary key, whereas the plan of a join may
 * read the whole table of traces.
 */
const intoTraces = (select: string, set: string): string => `
  INSERT INTO traces AS t (workspace_id, trace_id, ${SUMMARY_COLUMNS})
  ${select}
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET ${set}`;

const EARLIER_ROOT = `
  (t.root_start_ns IS NULL
    OR (excluded.root_start_ns, excluded.root_span_id) < (t.root_start_ns, t.root_span_id))`;

/** Addition and minimum do not care in which order spans arrive. A closed trace takes none: its number of spans becomes null, which is refused. */
const ADD = `
  span_count = CASE WHEN t.closed_at IS NULL THEN t.span_count + excluded.span_count END,
  error_count = t.error_count + excluded.error_count,
  input_tokens = t.input_tokens + excluded.input_tokens,
  output_tokens = t.output_tokens + excluded.output_tokens,
  cost = t.cost + excluded.cost,
  unpriced_count = t.unpriced_count + excluded.unpriced_count,
  start_ns = least(t.start_ns, excluded.start_ns),
  end_ns = greatest(t.end_ns, excluded.end_ns),
  root_name = CASE WHEN ${EARLIER_ROOT} THEN coalesce(excluded.root_name, t.root_name) ELSE t.root_name END,
  root_span_id = CASE WHEN ${EARLIER_ROOT} THEN coalesce(excluded.root_span_id, t.root_span_id) ELSE t.root_span_id END,
  root_start_ns = least(t.root_start_ns, excluded.root_start_ns)`;

const SUMMARIES = new Columns<TraceSummary>(
  {
    workspace_id: ['int4', (summary) => summary.workspaceId],
    trace_id: ['text', (summary) => summary.traceId],
    span_count: ['int4', (summary) => summary.spanCount],
    error_count: ['int4', (summary) => summary.errorCount],
    input_tokens: ['int8', (summary) => summary.inputTokens],
    output_tokens: ['int8', (summary) => summary.outputTokens],
    costs: ['textArray', (summary) => summary.costs.map(String)],
    unpriced_count: ['int4', (summary) => summary.unpricedCount],
    start_ns: ['int8', (summary) => summary.startNs],
    end_ns: ['int8', (summary) => summary.endNs],
    root_start_ns: ['int8', ({ root }) => root?.startNs],
    root_span_id: ['text', ({ root }) => root?.spanId],
    root_name: ['text', ({ root }) => root?.name],
  },
  { ofOneWorkspace: true },
);
/** Added as decimal numbers, of which sums do not depend on the order. */
const COST = '(SELECT coalesce(sum(c::float8::numeric), 0) FROM unnest(costs) AS c) AS cost';
const ADD_SUMMARIES = new Statement(
  intoTraces(
    `SELECT workspace_id, trace_id, ${SUMMARY_COLUMNS}
       FROM (SELECT *, ${COST} FROM (${SUMMARIES.selection}) AS given) AS added ORDER BY workspace_id, trace_id COLLATE "C"`,
    ADD,
  ),
);

/**
 * Adds spans that are new to the summaries of their traces, makes those that are missing, and locks them in the order of
 * their keys.
 */
export const addSummaries = (summaries: TraceSummary[]): Step => ADD_SUMMARIES.with(SUMMARIES.values(summaries));

const RECOMPUTE = new Statement(
  intoTraces(
    `SELECT $1::int, k.trace_id, n.*
       FROM unnest($2::text[]) AS k (trace_id)
      CROSS JOIN LATERAL (
        SELECT ${SUMMARY} FROM spans s WHERE s.workspace_id = $1 AND s.trace_id = k.trace_id
        HAVING count(*) > 0) n`,
    SUMMARY_COLUMNS.split(',')
      .map((column) => `${column.trim()} = excluded.${column.trim()}`)
      .join(', '),
  ),
);

/**
 * Works the summaries out anew from all spans. Needed where a span was replaced: what its old version had added
 * is not known any more.
 */
export function recomputeRollups(traces: TraceKey[]): Step[] {
  if (traces.length === 0) return [];
  return [RECOMPUTE.with([workspaceOf(traces), textArray(traces.map((trace) => trace.traceId))])];
}
