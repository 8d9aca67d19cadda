import type { EntityManager } from 'typeorm';
import { float8Array, int4Array, int8Array, textArray } from '../../platform/database/binary-arrays.js';
import { Statement } from '../../platform/database/statement.js';
import { SPAN_STATUSES } from '../span.js';
import type { SpanRow, TraceKey } from './spans.queries.js';

/** What newly inserted spans add to the summary of their trace. */
interface Addition extends TraceKey {
  spans: number;
  errors: number;
  inputTokens: number;
  outputTokens: number;
  cost: number;
  startNs: bigint;
  endNs: bigint | null;
  root: { startNs: bigint; name: string } | null;
}

const ADD = new Statement(`
  UPDATE traces t SET
    span_count = t.span_count + n.spans,
    error_count = t.error_count + n.errors,
    input_tokens = t.input_tokens + n.input_tokens,
    output_tokens = t.output_tokens + n.output_tokens,
    cost = t.cost + n.cost,
    start_ns = least(t.start_ns, n.start_ns),
    end_ns = greatest(t.end_ns, n.end_ns),
    root_name = CASE WHEN n.root_start_ns < coalesce(t.root_start_ns, n.root_start_ns + 1) THEN n.root_name ELSE t.root_name END,
    root_start_ns = least(t.root_start_ns, n.root_start_ns)
  FROM unnest($1::int[], $2::text[], $3::int[], $4::int[], $5::bigint[], $6::bigint[], $7::float8[], $8::bigint[], $9::bigint[],
    $10::bigint[], $11::text[]
  ) AS n (workspace_id, trace_id, spans, errors, input_tokens, output_tokens, cost, start_ns, end_ns, root_start_ns, root_name)
  WHERE t.workspace_id = n.workspace_id AND t.trace_id = n.trace_id`);

/** Folds spans that are new into the summaries of their traces. */
export async function addToRollups(tx: EntityManager, inserted: SpanRow[]): Promise<void> {
  const additions = [...summarise(inserted).values()];
  if (additions.length === 0) return;
  await ADD.run(tx, [
    int4Array(additions.map((trace) => trace.workspaceId)),
    textArray(additions.map((trace) => trace.traceId)),
    int4Array(additions.map((trace) => trace.spans)),
    int4Array(additions.map((trace) => trace.errors)),
    int8Array(additions.map((trace) => trace.inputTokens)),
    int8Array(additions.map((trace) => trace.outputTokens)),
    float8Array(additions.map((trace) => trace.cost)),
    int8Array(additions.map((trace) => trace.startNs)),
    int8Array(additions.map((trace) => trace.endNs)),
    int8Array(additions.map((trace) => trace.root?.startNs)),
    textArray(additions.map((trace) => trace.root?.name)),
  ]);
}

function summarise(rows: SpanRow[]): Map<string, Addition> {
  const traces = new Map<string, Addition>();
  for (const row of rows) {
    const { workspaceId, span } = row;
    const key = `${workspaceId}:${span.traceId}`;
    const trace = traces.get(key) ?? empty(row);
    add(trace, row);
    traces.set(key, trace);
  }
  return traces;
}

function empty({ workspaceId, span: { traceId, startNs } }: SpanRow): Addition {
  const sums = { spans: 0, errors: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
  return { workspaceId, traceId, ...sums, startNs, endNs: null, root: null };
}

function add(trace: Addition, { span, call, cost }: SpanRow): void {
  trace.spans += 1;
  if (span.statusCode === SPAN_STATUSES.ERROR) trace.errors += 1;
  extend(trace, span);
  // Agent and chain spans repeat the usage of their children: only spans with a request log count.
  if (!call) return;
  trace.inputTokens += call.usage.input ?? 0;
  trace.outputTokens += call.usage.output ?? 0;
  trace.cost += cost ?? 0;
}

function extend(trace: Addition, { startNs, endNs, parentId, name }: SpanRow['span']): void {
  if (startNs < trace.startNs) trace.startNs = startNs;
  if (endNs !== null && (trace.endNs === null || endNs > trace.endNs)) trace.endNs = endNs;
  if (parentId === null && (!trace.root || startNs < trace.root.startNs)) trace.root = { startNs, name };
}

const RECOMPUTE = `
  UPDATE traces t SET
    span_count = n.spans, error_count = n.errors, input_tokens = n.input_tokens, output_tokens = n.output_tokens,
    cost = n.cost, start_ns = n.start_ns, end_ns = n.end_ns, root_start_ns = n.root_start_ns, root_name = n.root_name
  FROM (
    SELECT s.workspace_id, s.trace_id,
      count(*) AS spans,
      count(*) FILTER (WHERE s.status = ${SPAN_STATUSES.ERROR}) AS errors,
      coalesce(sum(s.input_tokens) FILTER (WHERE s.request_log_id IS NOT NULL), 0) AS input_tokens,
      coalesce(sum(s.output_tokens) FILTER (WHERE s.request_log_id IS NOT NULL), 0) AS output_tokens,
      coalesce(sum(s.cost) FILTER (WHERE s.request_log_id IS NOT NULL), 0) AS cost,
      min(s.start_ns) AS start_ns,
      max(s.end_ns) AS end_ns,
      min(s.start_ns) FILTER (WHERE s.parent_id IS NULL) AS root_start_ns,
      (array_agg(s.name ORDER BY s.start_ns, s.span_id) FILTER (WHERE s.parent_id IS NULL))[1] AS root_name
    FROM spans s
    WHERE (s.workspace_id, s.trace_id) IN (SELECT * FROM unnest($1::int[], $2::text[]))
    GROUP BY s.workspace_id, s.trace_id
  ) n
  WHERE t.workspace_id = n.workspace_id AND t.trace_id = n.trace_id`;

/**
 * Works the summaries out anew from all spans. Needed where a span was replaced: what its old version had added
 * is not known any more.
 */
export async function recomputeRollups(tx: EntityManager, traces: TraceKey[]): Promise<void> {
  if (traces.length === 0) return;
  const columns = [
    int4Array(traces.map((trace) => trace.workspaceId)),
    textArray(traces.map((trace) => trace.traceId)),
  ];
  await tx.query(RECOMPUTE, columns);
}
