import type { EntityManager } from 'typeorm';
import {
  arrayLiteral,
  boolArray,
  float8Array,
  int2Array,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
  timestamptzArray,
} from '../platform/database/binary-arrays.js';
import { Statement } from '../platform/database/statement.js';
import type { PromptLink } from '../llm/prompt-reference.js';
import { facetsOf } from './facets.js';
import type { PackedCall } from './packed-call.js';
import { type DerivedFacts, withVariables } from './search/derived.js';

/** A request log about to be stored. */
export interface NewRequestLog {
  workspaceId: number;
  id: number;
  traceId: string | null;
  spanId: string | null;
  /** Milliseconds since the epoch, fractions allowed. */
  startMs: number;
  endMs: number;
  /** Given apart from the times: their difference would carry the rounding of two large numbers. */
  latencyMs: number;
  price: number | null;
  sanitized: boolean;
  /** The version of a prompt that was called, if it is known. */
  promptLink: PromptLink | null;
  call: PackedCall;
}

/**
 * The last part puts every log into the queue of the text index. It conflicts with a row that a worker is deleting and
 * then waits for the outcome, so that the worker cannot take the new version of a log for the one it has read: see
 * `search/projection.queries.ts`.
 */
const UPSERT = new Statement(`
  WITH stored AS (
  INSERT INTO request_logs (
    workspace_id, id, request_start_time, request_end_time, latency_ms, price,
    input_tokens, output_tokens, cached_tokens, cache_write_tokens, thinking_tokens,
    sanitized, trace_id, span_id, provider, model, api_type, function_name, status, error_type, error_message,
    tags, facets, metadata, parameters, prompt_input_variables, input, output, prompt_id, prompt_version_number,
    output_shape, turn_count, tool_call_count, tool_names, output_keys, input_variable_keys, output_data)
  SELECT
    n.workspace_id, n.id, n.started, n.ended, n.latency_ms, n.price,
    n.input_tokens, n.output_tokens, n.cached_tokens, n.cache_write_tokens, n.thinking_tokens,
    n.sanitized, n.trace_id, n.span_id, n.provider, n.model, n.api_type, n.function_name, n.status, n.error_type, n.error_message,
    n.tags::text[], n.facets::text[], n.metadata, n.parameters, n.variables, n.input, n.output,
    n.prompt_id, n.prompt_version_number, n.output_shape, n.turn_count, n.tool_call_count,
    n.tool_names::text[], n.output_keys::text[], n.variable_keys::text[], n.output_data
  FROM unnest(
    $1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::float8[], $6::float8[],
    $7::int[], $8::int[], $9::int[], $10::int[], $11::int[],
    $12::bool[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
    $22::text[], $23::text[], $24::jsonb[], $25::jsonb[], $26::jsonb[], $27::jsonb[], $28::jsonb[],
    $29::int[], $30::int[], $31::smallint[], $32::int[], $33::int[], $34::text[], $35::text[], $36::text[], $37::jsonb[]
  ) AS n (
    workspace_id, id, started, ended, latency_ms, price,
    input_tokens, output_tokens, cached_tokens, cache_write_tokens, thinking_tokens,
    sanitized, trace_id, span_id, provider, model, api_type, function_name, status, error_type, error_message,
    tags, facets, metadata, parameters, variables, input, output, prompt_id, prompt_version_number,
    output_shape, turn_count, tool_call_count, tool_names, output_keys, variable_keys, output_data)
  ON CONFLICT (workspace_id, id) DO UPDATE SET
    request_start_time = excluded.request_start_time, request_end_time = excluded.request_end_time,
    latency_ms = excluded.latency_ms, price = excluded.price,
    input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,
    cached_tokens = excluded.cached_tokens, cache_write_tokens = excluded.cache_write_tokens,
    thinking_tokens = excluded.thinking_tokens, sanitized = excluded.sanitized,
    provider = excluded.provider, model = excluded.model, api_type = excluded.api_type,
    function_name = excluded.function_name, status = excluded.status,
    error_type = excluded.error_type, error_message = excluded.error_message,
    tags = excluded.tags, facets = excluded.facets, metadata = excluded.metadata,
    parameters = excluded.parameters, prompt_input_variables = excluded.prompt_input_variables,
    input = excluded.input, output = excluded.output,
    output_shape = excluded.output_shape, turn_count = excluded.turn_count,
    tool_call_count = excluded.tool_call_count, tool_names = excluded.tool_names,
    output_keys = excluded.output_keys, input_variable_keys = excluded.input_variable_keys,
    output_data = excluded.output_data,
    prompt_version_number =
      CASE WHEN excluded.prompt_id IS NULL THEN request_logs.prompt_version_number ELSE excluded.prompt_version_number END,
    prompt_id = coalesce(excluded.prompt_id, request_logs.prompt_id)
  RETURNING workspace_id, id)
  INSERT INTO request_log_search_queue (workspace_id, log_id) SELECT workspace_id, id FROM stored
  ON CONFLICT DO NOTHING`);

/**
 * Stores request logs in one statement; a log that exists (its span was sent again) is brought up to date, but for its
 * group. Call `keepTracked` for those before. Ring the `SearchBell` after the commit.
 */
export async function upsertRequestLogs(tx: EntityManager, logs: NewRequestLog[]): Promise<void> {
  if (logs.length === 0) return;
  await UPSERT.run(tx, [
    ...identityColumns(logs),
    ...textColumns(logs),
    ...payloadColumns(logs),
    ...derivedColumns(logs.map(({ call }) => withVariables(call.facts, call.promptInputVariables))),
  ]);
}

function identityColumns(logs: NewRequestLog[]): Buffer[] {
  const usage = logs.map((log) => log.call.usage);
  return [
    int4Array(logs.map((log) => log.workspaceId)),
    int8Array(logs.map((log) => log.id)),
    timestamptzArray(logs.map((log) => log.startMs)),
    timestamptzArray(logs.map((log) => Math.max(log.startMs, log.endMs))),
    float8Array(logs.map((log) => Math.max(0, log.latencyMs))),
    float8Array(logs.map((log) => log.price)),
    int4Array(usage.map((tokens) => tokens.input)),
    int4Array(usage.map((tokens) => tokens.output)),
    int4Array(usage.map((tokens) => tokens.cached)),
    int4Array(usage.map((tokens) => tokens.cacheWrite)),
    int4Array(usage.map((tokens) => tokens.thinking)),
    boolArray(logs.map((log) => log.sanitized)),
  ];
}

function textColumns(logs: NewRequestLog[]): Buffer[] {
  const calls = logs.map((log) => log.call);
  return [
    textArray(logs.map((log) => log.traceId)),
    textArray(logs.map((log) => log.spanId)),
    textArray(calls.map((call) => call.provider)),
    textArray(calls.map((call) => call.model)),
    textArray(calls.map((call) => call.apiType)),
    textArray(calls.map((call) => call.functionName)),
    textArray(calls.map((call) => call.status)),
    textArray(calls.map((call) => call.errorType)),
    textArray(calls.map((call) => call.errorMessage)),
  ];
}

function payloadColumns(logs: NewRequestLog[]): Buffer[] {
  const json = (pick: (call: PackedCall) => unknown) => jsonbArray(logs.map((log) => JSON.stringify(pick(log.call))));
  return [
    textArray(logs.map((log) => arrayLiteral(log.call.tags))),
    textArray(logs.map((log) => arrayLiteral(facetsOfCall(log)))),
    json((call) => call.metadata),
    json((call) => call.parameters),
    json((call) => call.promptInputVariables),
    jsonbArray(logs.map(({ call }) => call.input)),
    jsonbArray(logs.map(({ call }) => call.output)),
    int4Array(logs.map((log) => log.promptLink?.promptId)),
    int4Array(logs.map((log) => log.promptLink?.versionNumber)),
  ];
}

function facetsOfCall({ workspaceId, call, promptLink }: NewRequestLog): string[] {
  const { model, provider, status, tags, metadata, facts } = call;
  const { toolNames } = facts;
  return facetsOf({ workspaceId, model, provider, status, tags, metadata, toolNames }, promptLink);
}

/** Also what a log of before gets when a worker looks at it. */
export function derivedColumns(facts: DerivedFacts[]): Buffer[] {
  return [
    int2Array(facts.map(({ outputShape }) => outputShape)),
    int4Array(facts.map(({ turnCount }) => turnCount)),
    int4Array(facts.map(({ toolCallCount }) => toolCallCount)),
    textArray(facts.map(({ toolNames }) => arrayLiteral(toolNames))),
    textArray(facts.map(({ outputKeys }) => arrayLiteral(outputKeys))),
    textArray(facts.map(({ inputVariableKeys }) => arrayLiteral(inputVariableKeys))),
    jsonbArray(facts.map(({ outputData }) => outputData && JSON.stringify(outputData))),
  ];
}
