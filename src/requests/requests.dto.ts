import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
} from '../platform/http/fields.js';
import { LOGGED_BLUEPRINT } from '../llm/logged-prompt.schema.js';
import type { JsonObject } from '../platform/json.js';
import { shortIso } from '../platform/time.js';
import { toPromptBlueprint } from '../llm/records/call-blueprint.js';
import type { RequestStatus } from '../llm/records/llm-call.js';
import type { PricedBy, RequestLog } from './request-log.entity.js';
import { DEFAULT_SCORE } from '../llm/records/logged-call.js';

export class RequestPath {
  @IntegerField({ query: true, min: 1, example: 1 })
  request_id: number;
}

export class NamedScore {
  @TextField({ example: 'helpfulness' })
  name: string;

  @IntegerField({ min: 0, max: 100, example: 90 })
  score: number;
}

export class RequestResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField()
  request_id: number;

  @TextField({ example: 'openai' })
  provider: string;

  @TextField({ example: 'gpt-4o-mini' })
  model: string;

  @TextField({ nullable: true, example: 'chat-completions' })
  api_type: string | null;

  @TextField({ description: 'For calls that came as a span: its name.' })
  function_name: string;

  @JsonObjectField({
    like: LOGGED_BLUEPRINT,
    description: 'The call as a prompt: its messages with the answer appended, the model and its parameters.',
  })
  prompt_blueprint: JsonObject;

  @IntegerField()
  input_tokens: number;

  @IntegerField()
  output_tokens: number;

  @IntegerField({ description: 'Input and output tokens together.' })
  tokens: number;

  @IntegerField({ nullable: true })
  cached_tokens: number | null;

  @IntegerField({ nullable: true, description: 'Tokens that were written to a prompt cache.' })
  cache_write_tokens: number | null;

  @IntegerField({ nullable: true })
  thinking_tokens: number | null;

  @NumberField({ description: 'US dollars; 0 when no price is known, see `priced`.' })
  price: number;

  @BooleanField({ description: 'False when no price is known for the model, so that 0 is not mistaken for free.' })
  priced: boolean;

  @EnumField(['reported', 'table'], {
    nullable: true,
    description:
      'Where the price comes from: from the source of the call, or from the table of prices and the tokens. null when there is no price, and for logs that are older than this field.',
  })
  priced_by: PricedBy | null;

  @DateTimeField()
  request_start_time: string;

  @DateTimeField()
  request_end_time: string;

  @NumberField()
  latency_ms: number;

  @EnumField(['SUCCESS', 'WARNING', 'ERROR'])
  status: RequestStatus;

  @TextField({ nullable: true })
  error_type: string | null;

  @TextField({ nullable: true })
  error_message: string | null;

  @ListField('string')
  tags: string[];

  @JsonObjectField({ values: { type: 'string' }, description: 'Includes the metadata that was added after the call.' })
  metadata: Record<string, string>;

  @ListField(() => NamedScore, { description: 'In the order of their names.' })
  scores: NamedScore[];

  @IntegerField({ nullable: true, description: 'The score named `default`.' })
  score: number | null;

  @IntegerField({ nullable: true, description: 'The group that the call is in.' })
  group_id: number | null;

  @ListField('integer', { description: '`group_id` as a list: a call is in one group at most.' })
  group_ids: number[];

  @TextField({ nullable: true })
  trace_id: string | null;

  @TextField({ nullable: true })
  span_id: string | null;

  @IntegerField({ nullable: true, description: 'The prompt of the registry that was called.' })
  prompt_id: number | null;

  @TextField({ nullable: true })
  prompt_name: string | null;

  @IntegerField({ nullable: true })
  prompt_version_number: number | null;

  @JsonObjectField()
  prompt_input_variables: JsonObject;

  @BooleanField({ description: 'Characters that cannot be stored (NUL, lone surrogates) were replaced by U+FFFD.' })
  sanitized: boolean;
}

/** A log with what lies in other tables. */
export interface RequestDetail {
  log: RequestLog;
  /** ISO 8601 with the microseconds that the dates of the log lack. */
  startedAt: string;
  endedAt: string;
  promptName: string | null;
  scores: NamedScore[];
}

export function toRequestResponse({ log, startedAt, endedAt, promptName, scores }: RequestDetail): RequestResponse {
  return {
    success: true,
    request_id: Number(log.id),
    provider: log.provider,
    model: log.model,
    api_type: log.apiType,
    function_name: log.functionName,
    prompt_blueprint: toPromptBlueprint(log),
    ...usage(log),
    request_start_time: shortIso(startedAt),
    request_end_time: shortIso(endedAt),
    latency_ms: log.latencyMs,
    status: log.status,
    error_type: log.errorType,
    error_message: log.errorMessage,
    tags: log.tags,
    metadata: log.metadata,
    scores: scores.map(({ name, score }) => ({ name, score })),
    score: scores.find(({ name }) => name === DEFAULT_SCORE)?.score ?? null,
    group_id: log.groupId,
    group_ids: log.groupId === null ? [] : [log.groupId],
    trace_id: log.traceId,
    span_id: log.spanId,
    prompt_id: log.promptId,
    prompt_name: promptName,
    prompt_version_number: log.promptVersionNumber,
    prompt_input_variables: log.promptInputVariables,
    sanitized: log.sanitized,
  };
}

function usage(log: RequestLog) {
  const [input_tokens, output_tokens] = [log.inputTokens ?? 0, log.outputTokens ?? 0];
  return {
    input_tokens,
    output_tokens,
    tokens: input_tokens + output_tokens,
    cached_tokens: log.cachedTokens,
    cache_write_tokens: log.cacheWriteTokens,
    thinking_tokens: log.thinkingTokens,
    // Clients wait until this is a number.
    price: log.price ?? 0,
    priced: log.price !== null,
    priced_by: log.pricedBy,
  };
}
