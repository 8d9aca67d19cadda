import {
  CallInputTokensField,
  CallOutputTokensField,
  SuccessField,
  TotalTokensField,
} from '../platform/http/common-fields.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
} from '../platform/http/fields.js';
import { LOGGED_BLUEPRINT } from '../llm/shared/logged-prompt.schema.js';
import type { JsonObject } from '../platform/json.js';
import { shortIso } from '../platform/time.js';
import { toPromptBlueprint } from '../llm/records/call-blueprint.js';
import type { RequestStatus } from '../llm/records/llm-call.js';
import { EnvironmentField, OriginField } from '../llm/records/origin-fields.js';
import type { Origin } from '../llm/records/origin.js';
import type { PricedBy, RequestLog } from './shared/request-log.entity.js';
import { DEFAULT_SCORE } from '../llm/records/logged-call.js';
import {
  CallEndField,
  CallStartField,
  CallStatusField,
  LogSpanField,
  LogTraceField,
  PricedField,
  PriceField,
} from './shared/call-fields.js';

export class RequestPath {
  @IntegerField({
    query: true,
    min: 1,
    description: 'The id of the request log, as it was answered when the call was logged, or as searches list it.',
    example: 1,
  })
  request_id: number;
}

export class NamedScore {
  @TextField({
    description: 'The name of the score; `default` for one that was given without a name.',
    example: 'helpfulness',
  })
  name: string;

  @IntegerField({ min: 0, max: 100, description: 'The score, 0 to 100.', example: 90 })
  score: number;
}

export class RequestResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'The id of the request log.' })
  request_id: number;

  @TextField({ description: 'The provider of the model, or `unknown`.', example: 'openai' })
  provider: string;

  @TextField({ description: 'The model, or `unknown`.', example: 'gpt-4o-mini' })
  model: string;

  @TextField({
    nullable: true,
    description: 'The API of the provider that was called; null when it is not known.',
    example: 'chat-completions',
  })
  api_type: string | null;

  @TextField({
    description: 'The function that made the call; the name of the span for calls that were sent as spans.',
  })
  function_name: string;

  @JsonObjectField({
    like: LOGGED_BLUEPRINT,
    description: 'The call as a prompt: its messages with the answer appended, the model and its parameters.',
  })
  prompt_blueprint: JsonObject;

  @CallInputTokensField()
  input_tokens: number;

  @CallOutputTokensField()
  output_tokens: number;

  @TotalTokensField()
  tokens: number;

  @IntegerField({
    nullable: true,
    description: 'Tokens that were read from a prompt cache; null when the source does not say.',
  })
  cached_tokens: number | null;

  @IntegerField({
    nullable: true,
    description: 'Tokens written to a prompt cache; null if the source does not report them.',
  })
  cache_write_tokens: number | null;

  @IntegerField({
    nullable: true,
    description:
      'Tokens that the model used for reasoning, part of `output_tokens`; null when the source does not say.',
  })
  thinking_tokens: number | null;

  @PriceField()
  price: number;

  @PricedField()
  priced: boolean;

  @EnumField(['reported', 'table'], {
    nullable: true,
    description:
      'Where the price comes from: `reported` by the source of the call, or computed from the `table` of prices. null if there is no price, and for logs older than this field.',
  })
  priced_by: PricedBy | null;

  @CallStartField()
  request_start_time: string;

  @CallEndField()
  request_end_time: string;

  @NumberField({ description: 'The time from start to end in milliseconds.' })
  latency_ms: number;

  @CallStatusField()
  status: RequestStatus;

  @TextField({
    nullable: true,
    description: 'The type of the error, such as `PROVIDER_TIMEOUT`; null for a call without one.',
  })
  error_type: string | null;

  @TextField({ nullable: true, description: 'The message of the error; null for a call without one.' })
  error_message: string | null;

  @TextField({
    nullable: true,
    description:
      'Failed calls with the same error have the same group: the message with # for words with digits, at most 200 characters. Use it in a filter to find similar calls. null for a call without an error.',
    example: 'Rate limit reached for # in organization #',
  })
  error_group: string | null;

  @OriginField('the call')
  origin: Origin;

  @EnvironmentField('The deployment environment that the resource of its span, or `environment` in its metadata, named')
  environment: string | null;

  @ListField('string', { description: 'The tags of the log, with those that were added after the call.' })
  tags: string[];

  @JsonObjectField({
    values: { type: 'string' },
    description: 'The metadata of the log, including what was added after the call.',
  })
  metadata: Record<string, string>;

  @ListField(() => NamedScore, { description: 'The scores of the log, by name.' })
  scores: NamedScore[];

  @IntegerField({ nullable: true, description: 'The score named `default`; null if there is none.' })
  score: number | null;

  @IntegerField({ nullable: true, description: 'The group of the log; null if it is in none.' })
  group_id: number | null;

  @ListField('integer', { description: 'The `group_id` as a list. Empty if the log is in no group.' })
  group_ids: number[];

  @LogTraceField()
  trace_id: string | null;

  @LogSpanField()
  span_id: string | null;

  @IntegerField({ nullable: true, description: 'The prompt of the registry that was called; null if none was named.' })
  prompt_id: number | null;

  @TextField({
    nullable: true,
    description: 'The name that the prompt has now; null when no prompt was named or it was deleted.',
  })
  prompt_name: string | null;

  @IntegerField({ nullable: true, description: 'The version of the prompt; null when no prompt was named.' })
  prompt_version_number: number | null;

  @JsonObjectField({
    description: 'The values that the variables of the prompt had, by name. Empty when none were sent.',
  })
  prompt_input_variables: JsonObject;

  @BooleanField({
    description: 'True if characters that cannot be stored (NUL, lone surrogates) were replaced with U+FFFD.',
  })
  sanitized: boolean;
}

/** A log with its data from other tables. */
export interface RequestDetail {
  log: RequestLog;
  /** ISO 8601 with microseconds, which the dates of the log lack. */
  startedAt: string;
  endedAt: string;
  /** See `error-group.ts`. */
  errorGroup: string | null;
  promptName: string | null;
  scores: NamedScore[];
}

export function toRequestResponse({
  log,
  startedAt,
  endedAt,
  errorGroup,
  promptName,
  scores,
}: RequestDetail): RequestResponse {
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
    error_group: errorGroup,
    origin: log.origin,
    environment: log.environment,
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
    // Clients poll until the price is a number.
    price: log.price ?? 0,
    priced: log.price !== null,
    priced_by: log.pricedBy,
  };
}
