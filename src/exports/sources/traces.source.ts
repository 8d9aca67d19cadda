import { traceConditions } from '../../traces/index.js';
import { boolean, integer, json, number, text, timestamp } from './export-column.js';
import type { ExportSource } from './export-source.js';
import { duration, nanoseconds } from './trace-columns.js';

/** Status of the search index, or an estimate until search has read the trace. */
const STATUS = `coalesce(x.status, CASE WHEN t.error_count > 0 THEN 'ERROR' ELSE 'UNSET' END)`;
const list = (name: string, sql: string) => json(name, `coalesce(to_jsonb(${sql}), '[]')`);

/** The summaries of traces, a row each. Values from search follow seconds after the trace. */
export const TRACES: ExportSource = {
  name: 'traces',
  columns: [
    text('trace_id', 't.trace_id'),
    text('name', 't.root_name'),
    text('status', STATUS),
    nanoseconds('start_time', 't.start_ns'),
    nanoseconds('end_time', 't.end_ns'),
    duration('duration_ms', 't.start_ns', 't.end_ns'),
    integer('span_count', 't.span_count'),
    integer('error_count', 't.error_count'),
    integer('depth', 'x.depth'),
    integer('input_tokens', 't.input_tokens'),
    integer('output_tokens', 't.output_tokens'),
    integer('total_tokens', 't.input_tokens + t.output_tokens'),
    number('total_cost_usd', 't.cost'),
    integer('unpriced_request_count', 't.unpriced_count'),
    list('models_used', 'x.models_used'),
    list('tool_names', 'x.tool_names'),
    list('prompt_ids', 'x.prompt_ids'),
    list('prompt_versions', 'x.prompt_versions'),
    list('workflow_ids', 'x.workflow_ids'),
    text('user_id', 'x.user_id'),
    text('session_id', 'x.session_id'),
    json('metadata', `coalesce(x.metadata, '{}')`),
    list('tags', 'x.tags'),
    text('root_span_id', 't.root_span_id'),
    boolean('closed', 't.closed_at IS NOT NULL'),
    timestamp('closed_at', 't.closed_at'),
    timestamp('created_at', 't.created_at'),
  ],
  path: {
    table: 'traces t',
    time: { column: 't.start_ns', type: 'bigint', latest: '9223372036854775807' },
    id: { column: 't.trace_id', type: 'text', order: 'ASC' },
    weight: '1000',
    rows: 'count(*)',
  },
  keys: { trace_id: 'text' },
  join: `traces t ON t.workspace_id = $1 AND t.trace_id = k.trace_id
    LEFT JOIN trace_search x ON x.workspace_id = t.workspace_id AND x.trace_id = t.trace_id`,
  async condition(db, workspaceId, { filterGroup, filters, q }, parameters) {
    const conditions = [await traceConditions(db, workspaceId, { filterGroup, q }, parameters)];
    if (filters) {
      const query = { filterGroup: { filters }, at: ['body'] };
      conditions.push(await traceConditions(db, workspaceId, query, parameters));
    }
    return `span_count > 0 AND ${conditions.join(' AND ')}`;
  },
};
