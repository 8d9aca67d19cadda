import type { ChartField, ChartGroup } from '../../charts/index.js';
import { promptLabels } from '../../prompts/index.js';
import { SPAN_KINDS, SPAN_STATUSES } from '../../trace-conventions/index.js';

/** Rows of a chart. The names of fields begin with it. */
export type ChartLevel = 'trace' | 'span';

/** Higher costs are mistakes; their sums would leave the range of a number. */
const HIGHEST_COST = 1e15;

/** Null while the trace or span is running; negative durations of wrong clocks count as 0. */
function duration(title: string, row: 't' | 's'): ChartField {
  return {
    title,
    unit: 'duration_seconds',
    // The greater of a number and null would be the number.
    sql: `CASE WHEN ${row}.end_ns IS NOT NULL THEN greatest(${row}.end_ns - ${row}.start_ns, 0) END`,
    exact: true,
    divisor: 1_000_000_000,
    requestDivisor: 1000,
  };
}

function cost(title: string, column: string, exact: boolean): ChartField {
  const sql = `CASE WHEN ${column} > ${HIGHEST_COST} THEN ${HIGHEST_COST} ELSE ${column} END`;
  return { title, unit: 'currency', sql, exact };
}

function counted(title: string, unit: ChartField['unit'], sql: string): ChartField {
  return { title, unit, sql, exact: true, whole: true };
}

/** Null when neither is known. */
const SPAN_TOKENS = `CASE WHEN num_nonnulls(s.input_tokens, s.output_tokens) > 0 THEN coalesce(s.input_tokens, 0)::bigint + coalesce(s.output_tokens, 0) END`;

/** The cost is unknown rather than 0 when none of the calls has a price. */
const TRACE_COST = '(CASE WHEN t.cost = 0 AND t.unpriced_count > 0 THEN NULL ELSE t.cost END)';

/** Fields that charts aggregate, over `traces` t, `trace_search` x and `spans` s. */
export const TRACE_CHART_FIELDS = {
  trace_duration_ms: duration('Duration', 't'),
  trace_total_cost_usd: cost('Cost', TRACE_COST, true),
  trace_total_tokens: counted('Tokens', 'tokens', 't.input_tokens + t.output_tokens'),
  trace_input_tokens: counted('Input tokens', 'tokens', 't.input_tokens'),
  trace_output_tokens: counted('Output tokens', 'tokens', 't.output_tokens'),
  trace_span_count: counted('Spans', 'count', 't.span_count'),
  trace_depth: counted('Depth', 'number', 'x.depth'),
  span_duration_ms: duration('Duration', 's'),
  span_cost_usd: cost('Cost', 's.cost', false),
  span_tokens: counted('Tokens', 'tokens', SPAN_TOKENS),
  span_input_tokens: counted('Input tokens', 'tokens', 's.input_tokens'),
  span_output_tokens: counted('Output tokens', 'tokens', 's.output_tokens'),
};

export const TRACE_GROUP_FIELDS = [
  'trace_status',
  'trace_name',
  'trace_models_used',
  'trace_prompt_ids',
  'trace_workflow_ids',
  'trace_tool_names',
  'span_tool_name',
  'span_name',
  'span_type',
  'span_kind',
  'span_status',
] as const;
export type TraceGroupField = (typeof TRACE_GROUP_FIELDS)[number];

const one = (sql: string): ChartGroup => ({ sql: () => sql, many: false });
const many = (sql: string): ChartGroup => ({ sql: () => sql, many: true });

/** SQL that names the numbers of a table of names. */
function named(column: string, names: Readonly<Record<string, number>>): string {
  const cases = Object.entries(names).map(([name, number]) => `WHEN ${number} THEN '${name}'`);
  return `CASE ${column} ${cases.join(' ')} END`;
}

const GROUPS: Record<TraceGroupField, ChartGroup> = {
  trace_status: one('x.status'),
  trace_name: one('x.name'),
  trace_models_used: many('x.models_used'),
  trace_prompt_ids: many('x.prompt_ids::text[]'),
  trace_workflow_ids: many('x.workflow_ids'),
  trace_tool_names: many('x.tool_names'),
  span_tool_name: one('d.tool_name'),
  span_name: one('s.name'),
  span_type: one('s.span_type'),
  span_kind: one(named('s.kind', SPAN_KINDS)),
  span_status: one(named('s.status', SPAN_STATUSES)),
};

/** Groups for charts of traces in a workspace, over the same tables and `span_search` d. */
export function traceGroup(workspaceId: number, field: TraceGroupField): ChartGroup {
  if (field !== 'trace_prompt_ids') return GROUPS[field];
  return {
    ...GROUPS[field],
    labels: promptLabels(workspaceId),
  };
}

/** The values of the metadata of traces at a key. */
export function traceMetadataGroup(key: string): ChartGroup {
  return { sql: (parameters) => `x.metadata ->> ${parameters.add(key)}::text`, many: false };
}

/** The FROM clause for charts of a level. Charts of spans cover all spans of the traces. */
export function rowsOf(level: ChartLevel, condition: string): string {
  return level === 'trace'
    ? `traces t LEFT JOIN trace_search x ON x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id WHERE ${condition} AND t.span_count > 0`
    : `traces t JOIN spans s ON s.workspace_id = t.workspace_id AND s.trace_id = t.trace_id ` +
        `LEFT JOIN span_search d ON d.workspace_id = s.workspace_id AND d.trace_id = s.trace_id AND d.span_id = s.span_id WHERE ${condition}`;
}

/** The start of a trace, to the microsecond. */
export const TRACE_TIME = `'epoch'::timestamptz + (t.start_ns / 1000) * interval '1 microsecond'`;
