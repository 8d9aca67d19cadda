import type { Later } from '../../platform/database/binary-rows.js';
import { Columns, type ColumnsOf } from '../../platform/database/columns.js';
import { Statement } from '../../platform/database/statement.js';
import type { PromptLink } from '../../llm/shared/prompt-reference.js';
import type { PricedBy } from './request-log.entity.js';
import { facetsOf } from './facets.js';
import type { Origin } from '../../llm/records/origin.js';
import type { PackedCall } from '../../llm/records/packed-call.js';
import { type ConversationFacts, variableKeys } from '../../llm/records/conversation-facts.js';

/** A request log about to be stored. */
export interface NewRequestLog {
  workspaceId: number;
  id: number;
  traceId: string | null;
  spanId: string | null;
  /** Milliseconds since the epoch, fractions allowed. */
  startMs: number;
  endMs: number;
  /** Separate from the times: their difference would have the rounding error of two large numbers. */
  latencyMs: number;
  price: number | null;
  sanitized: boolean;
  groupId: number | null;
  /** The version of a prompt that was called, if known. */
  promptLink: PromptLink | null;
  call: PackedCall;
  origin: Origin;
  /** Null when the source names none. */
  environment: string | null;
}

/** A log whose id is only known while its row is written. */
export type WrittenLog = Omit<NewRequestLog, 'id'> & { id: number | Later };

/** Columns derived from the conversation. A worker fills them in for logs that are older than the columns. */
export const conversationColumns = <Row>(factsOf: (row: Row) => ConversationFacts): ColumnsOf<Row> => ({
  output_shape: ['int2', (row) => factsOf(row).outputShape],
  turn_count: ['int4', (row) => factsOf(row).turnCount],
  tool_call_count: ['int4', (row) => factsOf(row).toolCallCount],
  tool_names: ['textArray', (row) => factsOf(row).toolNames],
  output_keys: ['textArray', (row) => factsOf(row).outputKeys],
  output_data: ['jsonb', (row) => toJson(factsOf(row).outputData)],
});

const toJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export const KEY: ColumnsOf<Pick<WrittenLog, 'workspaceId' | 'id'>> = {
  workspace_id: ['int4', (log) => log.workspaceId],
  id: ['int8', (log) => log.id],
};
/** Columns that keep their value when an existing log is written again. */
const PLACE: ColumnsOf<WrittenLog> = {
  trace_id: ['text', (log) => log.traceId],
  span_id: ['text', (log) => log.spanId],
  group_id: ['int4', (log) => log.groupId],
  origin: ['text', (log) => log.origin],
};
export const PROMPT: ColumnsOf<WrittenLog> = {
  prompt_id: ['int4', ({ promptLink }) => promptLink?.promptId],
  prompt_version_number: ['int4', ({ promptLink }) => promptLink?.versionNumber],
};
/** Columns that a report of the call contains. */
export const TOLD: ColumnsOf<WrittenLog> = {
  request_start_time: ['timestamptz', (log) => log.startMs],
  request_end_time: ['timestamptz', (log) => Math.max(log.startMs, log.endMs)],
  latency_ms: ['float8', (log) => Math.max(0, log.latencyMs)],
  price: ['float8', (log) => log.price],
  priced_by: ['text', pricedBy],
  input_tokens: ['int4', ({ call }) => call.usage.input],
  output_tokens: ['int4', ({ call }) => call.usage.output],
  cached_tokens: ['int4', ({ call }) => call.usage.cached],
  cache_write_tokens: ['int4', ({ call }) => call.usage.cacheWrite],
  thinking_tokens: ['int4', ({ call }) => call.usage.thinking],
  sanitized: ['bool', (log) => log.sanitized],
  provider: ['text', ({ call }) => call.provider],
  model: ['text', ({ call }) => call.model],
  api_type: ['text', ({ call }) => call.apiType],
  function_name: ['text', ({ call }) => call.functionName],
  status: ['text', ({ call }) => call.status],
  error_type: ['text', ({ call }) => call.errorType],
  error_message: ['text', ({ call }) => call.errorMessage],
  tags: ['textArray', ({ call }) => call.tags],
  metadata: ['jsonb', ({ call }) => JSON.stringify(call.metadata)],
  parameters: ['jsonb', ({ call }) => JSON.stringify(call.parameters)],
  prompt_input_variables: ['jsonb', ({ call }) => JSON.stringify(call.promptInputVariables)],
  input: ['jsonb', ({ call }) => call.input],
  output: ['jsonb', ({ call }) => call.output],
};
function pricedBy({ price, call }: WrittenLog): PricedBy | null {
  if (price === null) return null;
  return call.reportedPrice === null ? 'table' : 'reported';
}

const CONTENT: ColumnsOf<WrittenLog> = {
  ...TOLD,
  environment: ['text', (log) => log.environment],
  facets: ['textArray', facetsOfCall],
  ...conversationColumns(({ call }) => call.facts),
  input_variable_keys: ['textArray', ({ call, promptLink }) => variableKeys(call.promptInputVariables, promptLink)],
};
export const COLUMNS = new Columns<WrittenLog>({ ...KEY, ...PLACE, ...PROMPT, ...CONTENT }, { ofOneWorkspace: true });
export const copyLogs = COLUMNS.copyInto('request_logs');

export const REPLACE = new Statement(`
  INSERT INTO request_logs (${COLUMNS.names.join(', ')})
  ${COLUMNS.selection}
  ON CONFLICT (workspace_id, id) DO UPDATE SET
    span_id = excluded.span_id,
    ${Object.keys(CONTENT)
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')},
    prompt_version_number =
      CASE WHEN excluded.prompt_id IS NULL THEN request_logs.prompt_version_number ELSE excluded.prompt_version_number END,
    prompt_id = coalesce(excluded.prompt_id, request_logs.prompt_id)`);

function facetsOfCall({ workspaceId, call, promptLink, environment }: WrittenLog): string[] {
  const { model, provider, status, tags, metadata, facts } = call;
  const { toolNames } = facts;
  return facetsOf({ workspaceId, model, provider, status, tags, metadata, toolNames, environment }, promptLink);
}
