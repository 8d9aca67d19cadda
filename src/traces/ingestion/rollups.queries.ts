import type { TraceKey } from './incoming-span.js';
import { textArray } from '../../platform/database/binary-arrays.js';
import { Columns } from '../../platform/database/columns.js';
import { workspaceOf } from '../../platform/database/one-workspace.js';
import { Statement, type Step } from '../../platform/database/statement.js';
import { factsOfSource, type SourceFacts } from '../shared/source-facts.js';
import { SPAN_STATUSES, type SpanStatus } from '../../trace-conventions/index.js';
import { type IncomingSpan, LOG_LINKS, type LogLink } from './incoming-span.js';
import type { LogPlan } from './log-plan.js';

/** A span that is new, as far as its trace sums it up. */
export interface SummedSpan extends TraceKey, SourceFacts {
  spanId: string;
  parentId: string | null;
  name: string;
  status: SpanStatus;
  /** Link to its request log; null when it has none. */
  logLink: LogLink | null;
  inputTokens: number | null;
  outputTokens: number | null;
  /** US dollars; null when unknown. */
  cost: number | null;
  startNs: bigint;
  endNs: bigint | null;
}

/** @param hasLog whether the span has a request log, its own or one that was there */
export function summedSpan(incoming: IncomingSpan, plan: LogPlan, hasLog: boolean): SummedSpan {
  const { workspaceId, span, facts, cost } = incoming;
  return {
    workspaceId,
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentId,
    name: span.name,
    status: span.statusCode,
    logLink: hasLog ? plan.logLink : null,
    inputTokens: facts.inputTokens,
    outputTokens: facts.outputTokens,
    cost,
    startNs: span.startNs,
    endNs: span.endNs,
    ...factsOfSource(span.source),
  };
}

/** The spans that the rules read, whether they are stored or about to be. */
const SUMMED = new Columns<SummedSpan>(
  {
    workspace_id: ['int4', (span) => span.workspaceId],
    trace_id: ['text', (span) => span.traceId],
    span_id: ['text', (span) => span.spanId],
    parent_id: ['text', (span) => span.parentId],
    name: ['text', (span) => span.name],
    status: ['int2', (span) => span.status],
    log_link: ['int2', (span) => span.logLink],
    input_tokens: ['int4', (span) => span.inputTokens],
    output_tokens: ['int4', (span) => span.outputTokens],
    cost: ['float8', (span) => span.cost],
    start_ns: ['int8', (span) => span.startNs],
    end_ns: ['int8', (span) => span.endNs],
    origin: ['text', (span) => span.origin],
    environment: ['text', (span) => span.environment],
  },
  { ofOneWorkspace: true },
);
const STORED = `
  SELECT span_id, parent_id, name, status, CASE WHEN request_log_id IS NOT NULL THEN log_link END AS log_link,
         input_tokens, output_tokens, cost, start_ns, end_ns`;

/**
 * Agent and chain spans repeat the usage of their children, so only spans with a request log count. Of spans that share
 * a log, only the span it was reported for counts.
 */
const COUNTS = `log_link <> ${LOG_LINKS.MANAGED}`;
/** The root is the earliest span without a parent. If several begin together, it is the one with the smallest id. */
const ofRoot = (column: string): string =>
  `(array_agg(${column} ORDER BY start_ns, span_id COLLATE "C") FILTER (WHERE parent_id IS NULL))[1]`;
const HAS_EARLIER_ROOT = `
  (t.root_start_ns IS NULL
    OR (excluded.root_start_ns, excluded.root_span_id) < (t.root_start_ns, t.root_span_id))`;

/**
 * How a column of a trace, `t`, changes when new spans have the value `excluded`. No rule depends on the order of
 * spans.
 */
type Joined = (column: string) => string;
const plus: Joined = (column) => `t.${column} + excluded.${column}`;
const least: Joined = (column) => `least(t.${column}, excluded.${column})`;
const greatest: Joined = (column) => `greatest(t.${column}, excluded.${column})`;
const ofEarlierRoot: Joined = (column) => `CASE WHEN ${HAS_EARLIER_ROOT} THEN excluded.${column} ELSE t.${column} END`;
const plusWhileOpen: Joined = (column) =>
  `CASE WHEN t.closed_at IS NULL THEN ${plus(column)} ELSE refuse_transaction('Trace ' || t.trace_id || ' is closed.') END`;

/** The columns of `traces` that sum up spans: the aggregate over new spans, and how it joins the stored value. */
const RULES: Record<string, [of: string, joined: Joined]> = {
  span_count: ['count(*)', plusWhileOpen],
  error_count: [`count(*) FILTER (WHERE status = ${SPAN_STATUSES.ERROR})`, plus],
  input_tokens: [`coalesce(sum(input_tokens) FILTER (WHERE ${COUNTS}), 0)`, plus],
  output_tokens: [`coalesce(sum(output_tokens) FILTER (WHERE ${COUNTS}), 0)`, plus],
  // Sums of decimal numbers do not depend on the order.
  cost: [`coalesce(sum(cost::numeric) FILTER (WHERE ${COUNTS}), 0)`, plus],
  unpriced_count: [`count(*) FILTER (WHERE cost IS NULL AND ${COUNTS})`, plus],
  start_ns: ['min(start_ns)', least],
  // Clocks that were set back end spans before they start.
  end_ns: ['max(greatest(start_ns, end_ns)) FILTER (WHERE end_ns IS NOT NULL)', greatest],
  root_start_ns: ['min(start_ns) FILTER (WHERE parent_id IS NULL)', least],
  root_span_id: [ofRoot('span_id'), ofEarlierRoot],
  root_name: [ofRoot('name'), ofEarlierRoot],
};

/** Like `RULES`, for facts from the resources of spans. These values stay when spans are replaced. */
const SOURCE_RULES: typeof RULES = {
  origin: ['min(origin)', (column) => `CASE WHEN t.span_count = 0 THEN excluded.${column} ELSE ${least(column)} END`],
  environment: ['min(environment)', least],
};

const summaryBy = (rules: typeof RULES): string =>
  Object.entries(rules)
    .map(([column, [of]]) => `${of} AS ${column}`)
    .join(',\n  ');

/**
 * An INSERT that finds every trace there: a conflict is looked up in the primary key, whereas the plan of a join may
 * read the whole table of traces.
 */
const intoTraces = (select: string, rules: typeof RULES, set: (column: string) => string): Statement =>
  new Statement(`
  INSERT INTO traces AS t (workspace_id, trace_id, ${Object.keys(rules).join(', ')})
  ${select}
  ON CONFLICT (workspace_id, trace_id) DO UPDATE SET
    ${Object.keys(rules)
      .map((column) => `${column} = ${set(column)}`)
      .join(',\n    ')}`);

const KEY = 'workspace_id, trace_id COLLATE "C"';
const ALL_RULES = { ...RULES, ...SOURCE_RULES };
const ADD = intoTraces(
  `SELECT ${KEY}, ${summaryBy(ALL_RULES)} FROM (${SUMMED.selection}) AS s GROUP BY ${KEY} ORDER BY ${KEY}`,
  ALL_RULES,
  (column) => ALL_RULES[column]![1](column),
);

/**
 * Adds spans that are new to the summaries of their traces, makes those that are missing, and locks them in the order of
 * their keys. A closed trace refuses the transaction.
 */
export const addToTraces = (spans: SummedSpan[]): Step => ADD.with(SUMMED.values(spans));

const RECOMPUTE = intoTraces(
  `SELECT $1::int, k.trace_id, n.*
     FROM unnest($2::text[]) AS k (trace_id)
    CROSS JOIN LATERAL (
      SELECT ${summaryBy(RULES)}
        FROM (${STORED} FROM spans s WHERE s.workspace_id = $1 AND s.trace_id = k.trace_id) AS s
      HAVING count(*) > 0) n`,
  RULES,
  (column) => `excluded.${column}`,
);

/**
 * Recomputes the summaries from all spans. Needed when a span was replaced, because the share of its old version is
 * unknown.
 */
export function recomputeRollups(traces: TraceKey[]): Step[] {
  if (traces.length === 0) return [];
  return [RECOMPUTE.with([workspaceOf(traces), textArray(traces.map((trace) => trace.traceId))])];
}
