import type { EntityManager } from 'typeorm';
import {
  arrayLiteral,
  boolArray,
  float8Array,
  int4Array,
  int8Array,
  jsonbArray,
  textArray,
  timestamptzArray,
} from '../platform/database/binary-arrays.js';
import { Statement } from '../platform/database/statement.js';
import type { PromptLink } from '../llm/prompt-reference.js';
import { facetsOf } from './facets.js';
import type { LlmCall } from './llm-call.js';

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
  call: LlmCall;
}

const UPSERT = new Statement(`
  INSERT INTO request_logs (
    workspace_id, id, request_start_time, request_end_time, latency_ms, price,
    input_tokens, output_tokens, cached_tokens, cache_write_tokens, thinking_tokens,
    sanitized, trace_id, span_id, provider, model, api_type, function_name, status, error_type, error_message,
    tags, facets, metadata, parameters, prompt_input_variables, input, output, prompt_id, prompt_version_number)
  SELECT
    n.workspace_id, n.id, n.started, n.ended, n.latency_ms, n.price,
    n.input_tokens, n.output_tokens, n.cached_tokens, n.cache_write_tokens, n.thinking_tokens,
    n.sanitized, n.trace_id, n.span_id, n.provider, n.model, n.api_type, n.function_name, n.status, n.error_type, n.error_message,
    n.tags::text[], n.facets::text[], n.metadata, n.parameters, n.variables, n.input, n.output,
    n.prompt_id, n.prompt_version_number
  FROM unnest(
    $1::int[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::float8[], $6::float8[],
    $7::int[], $8::int[], $9::int[], $10::int[], $11::int[],
    $12::bool[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[],
    $22::text[], $23::text[], $24::jsonb[], $25::jsonb[], $26::jsonb[], $27::jsonb[], $28::jsonb[],
    $29::int[], $30::int[]
  ) AS n (
    workspace_id, id, started, ended, latency_ms, price,
    input_tokens, output_tokens, cached_tokens, cache_write_tokens, thinking_tokens,
    sanitized, trace_id, span_id, provider, model, api_type, function_name, status, error_type, error_message,
    tags, facets, metadata, parameters, variables, input, output, prompt_id, prompt_version_number)
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
    prompt_version_number =
      CASE WHEN excluded.prompt_id IS NULL THEN request_logs.prompt_version_number ELSE excluded.prompt_version_number END,
    prompt_id = coalesce(excluded.prompt_id, request_logs.prompt_id)`);

/** Stores request logs in one statement; a log that exists (its span was sent again) is brought up to date. */
export async function upsertRequestLogs(tx: EntityManager, logs: NewRequestLog[]): Promise<void> {
  if (logs.length === 0) return;
  await UPSERT.run(tx, [...identityColumns(logs), ...textColumns(logs), ...payloadColumns(logs)]);
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
  const json = (pick: (call: LlmCall) => unknown) => jsonbArray(logs.map((log) => JSON.stringify(pick(log.call))));
  return [
    textArray(logs.map((log) => arrayLiteral(log.call.tags))),
    textArray(logs.map((log) => arrayLiteral(facetsOf(log.call, log.promptLink)))),
    json((call) => call.metadata),
    json((call) => call.parameters),
    json((call) => call.promptInputVariables),
    json((call) => call.input),
    json((call) => call.output),
    int4Array(logs.map((log) => log.promptLink?.promptId)),
    int4Array(logs.map((log) => log.promptLink?.versionNumber)),
  ];
}
