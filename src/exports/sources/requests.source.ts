import { readJson } from '../../platform/read-json.js';
import { inputText, outputText } from '../../llm/records/conversation.js';
import { requestConditions } from '../../requests/index.js';
import { boolean, type ExportColumn, integer, json, number, text, timestamp } from './export-column.js';
import type { ExportSource } from './export-source.js';

type CallSide = Parameters<typeof outputText>[0];

const SCORES = `
  SELECT jsonb_object_agg(s.name, s.score ORDER BY s.name) FROM request_scores s
   WHERE s.workspace_id = $1 AND s.log_id = l.id`;

const readable = (name: string, sql: string, toText: (side: CallSide) => string): ExportColumn => ({
  name,
  type: 'text',
  sql: `(${sql})::text`,
  derive: (value) => toText(readJson(value) as CallSide),
});

/** The request logs of a workspace, a row each. */
export const REQUESTS: ExportSource = {
  name: 'requests',
  columns: [
    integer('request_id', 'l.id'),
    timestamp('request_start_time', 'l.request_start_time'),
    timestamp('request_end_time', 'l.request_end_time'),
    number('latency_ms', 'l.latency_ms'),
    text('status', 'l.status'),
    text('error_type', 'l.error_type'),
    text('error_message', 'l.error_message'),
    text('provider', 'l.provider'),
    text('model', 'l.model'),
    text('api_type', 'l.api_type'),
    text('function_name', 'l.function_name'),
    integer('input_tokens', 'l.input_tokens'),
    integer('output_tokens', 'l.output_tokens'),
    integer('cached_tokens', 'l.cached_tokens'),
    integer('cache_write_tokens', 'l.cache_write_tokens'),
    integer('thinking_tokens', 'l.thinking_tokens'),
    number('price', 'l.price'),
    text('priced_by', 'l.priced_by'),
    integer('prompt_id', 'l.prompt_id'),
    text('prompt_name', 'p.name'),
    integer('prompt_version_number', 'l.prompt_version_number'),
    json('tags', 'to_jsonb(l.tags)'),
    json('metadata', 'l.metadata'),
    json('scores', `coalesce((${SCORES}), '{}')`),
    integer('group_id', 'l.group_id'),
    text('trace_id', 'l.trace_id'),
    text('span_id', 'l.span_id'),
    integer('turn_count', 'l.turn_count'),
    integer('tool_call_count', 'l.tool_call_count'),
    json('tool_names', 'to_jsonb(l.tool_names)'),
    readable('input_text', 'l.input', inputText),
    readable('output_text', 'l.output', outputText),
    json('prompt_input_variables', 'l.prompt_input_variables'),
    json('parameters', 'l.parameters'),
    json('input', 'l.input'),
    json('output', 'l.output'),
    boolean('sanitized', 'l.sanitized'),
  ],
  path: {
    table: 'request_logs',
    time: { column: 'request_start_time', type: 'timestamptz', latest: 'infinity' },
    id: { column: 'id', type: 'bigint', order: 'DESC' },
    weight: ['input', 'output', 'prompt_input_variables', 'metadata', 'parameters']
      .map((column) => `pg_column_size(${column})`)
      .join(' + '),
    rows: 'count(*)',
  },
  keys: { id: 'bigint' },
  join: `request_logs l ON l.workspace_id = $1 AND l.id = k.id
    LEFT JOIN prompts p ON p.workspace_id = $1 AND p.id = l.prompt_id`,
  condition: requestConditions,
};
