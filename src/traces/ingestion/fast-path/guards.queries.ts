import { textArray } from '../../../platform/database/binary-arrays.js';
import { workspaceOf } from '../../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../../platform/database/statement.js';
import type { TraceKey } from '../incoming-span.js';
import { REPORTED } from '../links.queries.js';
import { type CallPlace, RELATED, relatedTo } from '../nested/nested-calls.queries.js';

/**
 * Refuses new spans that would have to be read together with stored rows. The keys and the rule for closed traces
 * refuse the rest. These checks run last: the transaction has then waited for the locks of all who write such rows.
 */
const refuseFrom = (reason: string, found: string): Statement =>
  new Statement(`SELECT refuse_transaction(${reason}) FROM ${found} LIMIT 1`);

const REPORTED_LOG = refuseFrom(`'A log was reported for span ' || n.span_id || '.'`, REPORTED);
const LOG_EVENT = refuseFrom(
  `'Log records have come for spans of trace ' || k.trace_id || '.'`,
  `unnest($2::text[]) AS k (trace_id)
    CROSS JOIN LATERAL (
      SELECT FROM span_log_events e WHERE e.workspace_id = $1 AND e.trace_id = k.trace_id OFFSET 0) AS e`,
);
const SAME_CALL = refuseFrom(`'Span ' || s.span_id || ' may be the same call as a new one.'`, RELATED);

/** New spans of one workspace, as a whole. */
interface Expected {
  spans: (TraceKey & { spanId: string })[];
  /** Each once. */
  traces: TraceKey[];
  /** The calls among the spans. */
  calls: CallPlace[];
}

/** Refuses the transaction where something is stored that new spans depend on. */
export const refuseKnown = ({ spans, traces, calls }: Expected): Step[] => [
  REPORTED_LOG.with([workspaceOf(spans), textArray(spans.map(({ spanId }) => spanId))]),
  LOG_EVENT.with([workspaceOf(traces), textArray(traces.map(({ traceId }) => traceId))]),
  ...(calls.length > 0 ? [SAME_CALL.with(relatedTo(calls))] : []),
];
