import type { EntityManager } from 'typeorm';
import { int4Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { SPAN_STATUSES } from '../span.js';
import { LOG_LINKS } from './incoming-span.js';
import type { TraceKey } from './spans.queries.js';

const COUNTS_LOG = `request_log_id IS NOT NULL AND log_link <> ${LOG_LINKS.MANAGED}`;

/**
 * What spans add to the summary of their trace, as an aggregate over rows named like the columns of `spans`.
 * Agent and chain spans repeat the usage of their children: only spans with a request log count, and of those that share
 * one only the span it was reported for. The root is the earliest span without a parent.
 */
export const SUMMARY = `
  count(*) AS spans,
  count(*) FILTER (WHERE status = ${SPAN_STATUSES.ERROR}) AS errors,
  coalesce(sum(input_tokens) FILTER (WHERE ${COUNTS_LOG}), 0) AS input_tokens,
  coalesce(sum(output_tokens) FILTER (WHERE ${COUNTS_LOG}), 0) AS output_tokens,
  coalesce(sum(cost::numeric) FILTER (WHERE ${COUNTS_LOG}), 0) AS cost,
  min(start_ns) AS start_ns,
  max(end_ns) AS end_ns,
  min(start_ns) FILTER (WHERE parent_id IS NULL) AS root_start_ns,
  (array_agg(span_id ORDER BY start_ns, span_id) FILTER (WHERE parent_id IS NULL))[1] AS root_span_id,
  (array_agg(name ORDER BY start_ns, span_id) FILTER (WHERE parent_id IS NULL))[1] AS root_name`;

const EARLIER_ROOT =
  '(t.root_start_ns IS NULL OR (n.root_start_ns, n.root_span_id) < (t.root_start_ns, t.root_span_id))';

/** Adds such an aggregate `n` to the trace `t`. Addition and minimum do not care in which order spans arrive. */
export const ADD_SUMMARY = `
  span_count = t.span_count + n.spans,
  error_count = t.error_count + n.errors,
  input_tokens = t.input_tokens + n.input_tokens,
  output_tokens = t.output_tokens + n.output_tokens,
  cost = t.cost + n.cost,
  start_ns = least(t.start_ns, n.start_ns),
  end_ns = greatest(t.end_ns, n.end_ns),
  root_name = CASE WHEN ${EARLIER_ROOT} THEN coalesce(n.root_name, t.root_name) ELSE t.root_name END,
  root_span_id = CASE WHEN ${EARLIER_ROOT} THEN coalesce(n.root_span_id, t.root_span_id) ELSE t.root_span_id END,
  root_start_ns = least(t.root_start_ns, n.root_start_ns)`;

const RECOMPUTE = new Statement(`
  UPDATE traces t SET
    span_count = n.spans, error_count = n.errors, input_tokens = n.input_tokens, output_tokens = n.output_tokens,
    cost = n.cost, start_ns = n.start_ns, end_ns = n.end_ns,
    root_start_ns = n.root_start_ns, root_span_id = n.root_span_id, root_name = n.root_name
  FROM (
    SELECT workspace_id, trace_id, ${SUMMARY} FROM spans
     WHERE (workspace_id, trace_id) IN (SELECT * FROM unnest($1::int[], $2::text[]))
     GROUP BY workspace_id, trace_id
  ) n
  WHERE t.workspace_id = n.workspace_id AND t.trace_id = n.trace_id`);

/**
 * Works the summaries out anew from all spans. Needed where a span was replaced: what its old version had added
 * is not known any more.
 */
export async function recomputeRollups(tx: EntityManager, traces: TraceKey[]): Promise<void> {
  if (traces.length === 0) return;
  const ids = [int4Array(traces.map((trace) => trace.workspaceId)), textArray(traces.map((trace) => trace.traceId))];
  await RECOMPUTE.run(tx, ids);
}
