import { createHash } from 'node:crypto';
import { ApiProperty } from '@nestjs/swagger';
import type { z } from 'zod';
import type { Prompt } from '../../llm/shared/blueprint.js';
import { LOGGED_BLUEPRINT } from '../../llm/shared/logged-prompt.schema.js';
import {
  CallInputTokensField,
  CallOutputTokensField,
  WorkspaceIdField,
  TotalTokensField,
} from '../../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import type { JsonObject } from '../../platform/json.js';
import { isoFromMilliseconds, shortIso } from '../../platform/time.js';
import { toPromptBlueprint } from '../../llm/records/call-blueprint.js';
import { inputText, outputText } from '../../llm/records/conversation.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import type { CallToLog, StoredCall } from './call-to-log.js';
import {
  LOGGED_CALL_DESCRIPTIONS,
  loggedCallFields,
  type TimedCallFields,
  toLoggedCall,
} from '../../llm/records/logged-call.js';
import { type ErrorType, STATUSES } from '../../llm/records/outcome.js';
import { CallEndField, CallStartField, LogTagsField, PricedField, PriceField } from '../shared/call-fields.js';

type FieldName = keyof typeof loggedCallFields;
type OptionalFieldName = Exclude<
  FieldName,
  'provider' | 'model' | 'input' | 'output' | 'request_start_time' | 'request_end_time'
>;

interface Documentation {
  example?: unknown;
  default?: unknown;
}

const RequiredField = (name: Exclude<FieldName, OptionalFieldName>, documentation: Documentation = {}) =>
  SchemaField(loggedCallFields[name], { description: LOGGED_CALL_DESCRIPTIONS[name], ...documentation });

const OptionalField = (name: OptionalFieldName, documentation: Documentation = {}) =>
  SchemaField((loggedCallFields[name] as z.ZodOptional<z.ZodNullable<z.ZodType>>).unwrap().unwrap(), {
    optional: true,
    nullable: true,
    description: LOGGED_CALL_DESCRIPTIONS[name],
    ...documentation,
  });

/** Two classes, because one with all these decorators would be hard to read. */
class ReportedCall {
  @RequiredField('provider', { example: 'openai' })
  provider: string;

  @RequiredField('model', { example: 'gpt-4o-mini' })
  model: string;

  @RequiredField('input', {
    example: {
      type: 'chat',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is my parcel?' }] }],
    },
  })
  input: Prompt;

  @RequiredField('output', {
    example: {
      type: 'chat',
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'On its way.' }] }],
    },
  })
  output: Prompt;

  @RequiredField('request_start_time', { example: '2026-05-04T10:21:52.120Z' })
  request_start_time: number;

  @RequiredField('request_end_time', { example: '2026-05-04T10:21:53.470Z' })
  request_end_time: number;

  @OptionalField('status', { default: 'SUCCESS' })
  status?: RequestStatus | null;

  @OptionalField('error_type')
  error_type?: ErrorType | null;

  @OptionalField('error_message')
  error_message?: string | null;
}

export class LogRequestRequest extends ReportedCall {
  @OptionalField('parameters', { example: { temperature: 0.2 } })
  parameters?: Record<string, unknown> | null;

  @OptionalField('tags', { example: ['support'] })
  tags?: string[] | null;

  @OptionalField('metadata', { example: { user_id: '7' } })
  metadata?: Record<string, unknown> | null;

  @OptionalField('prompt_name')
  prompt_name?: string | null;

  @OptionalField('prompt_id')
  prompt_id?: number | null;

  @OptionalField('prompt_version_number')
  prompt_version_number?: number | null;

  @OptionalField('prompt_input_variables', { example: { name: 'Ada' } })
  prompt_input_variables?: Record<string, unknown> | null;

  @OptionalField('input_tokens', { default: 0 })
  input_tokens?: number | null;

  @OptionalField('output_tokens', { default: 0 })
  output_tokens?: number | null;

  @OptionalField('price', { default: 0 })
  price?: number | null;

  @OptionalField('function_name', { default: '' })
  function_name?: string | null;

  @OptionalField('score')
  score?: number | null;

  @OptionalField('score_name', { default: 'default' })
  score_name?: string | null;

  @OptionalField('api_type', { example: 'chat-completions' })
  api_type?: string | null;
}

class LoggedScore {
  @TextField({ description: 'The name of the score.' })
  name: string;

  @IntegerField({ description: 'The score, 0 to 100.' })
  score: number;
}

export class LogRequestResponse {
  @IntegerField({ description: 'The id of the request log.' })
  id: number;

  @IntegerField({ description: 'The same as `id`.' })
  request_id: number;

  @EnumField(STATUSES, { description: 'The outcome of the call, from the request.' })
  status: RequestStatus;

  @TextField({ nullable: true, description: 'The type of the error; null for a call without one.' })
  error_type: string | null;

  @TextField({ nullable: true, description: 'The message of the error; null for a call without one.' })
  error_message: string | null;

  @JsonObjectField({
    nullable: true,
    like: LOGGED_BLUEPRINT,
    description: 'The call as a prompt: its messages with the answer appended.',
  })
  prompt_version: JsonObject | null;

  @TextField({ description: 'Always `request`.', example: 'request' })
  type: string;

  @WorkspaceIdField()
  workspace_id: number;

  @IntegerField({ nullable: true, description: 'Always null: keys belong to workspaces.' })
  user_id: number | null;

  @IntegerField({
    nullable: true,
    description: 'The prompt of the registry that was called; null when none was named.',
  })
  prompt_id: number | null;

  @IntegerField({ nullable: true, description: 'The version of that prompt; null when no prompt was named.' })
  prompt_version_number: number | null;

  @JsonObjectField({ description: 'The input variables, as they were sent. Empty when none were.' })
  prompt_input_variables: JsonObject;

  @TextField({ description: 'The provider of the model.' })
  provider_type: string;

  @TextField({ description: 'The name of the model.' })
  engine: string;

  @TextField({ description: 'The function that made the call; empty when none was named.' })
  function_name: string;

  @ListField('object', { description: 'Always empty.' })
  function_args: object[];

  @JsonObjectField({ description: 'The `input` and `parameters` of the request.' })
  function_kwargs: Record<string, unknown>;

  @JsonObjectField({ description: 'The `output` of the request.' })
  request_response: Record<string, unknown>;

  @CallStartField()
  request_start_time: string;

  @CallEndField()
  request_end_time: string;

  @BooleanField({ description: 'Always false: logs are not shared outside their workspace.' })
  is_sharable: boolean;

  @TextField({ description: 'A hash of the log. It opens nothing, because logs are not shared.' })
  share_hash: string;

  @IntegerField({ description: 'Always 0: logs are not shared outside their workspace.' })
  share_view_count: number;

  @BooleanField({ description: 'Always false: logs cannot be starred.' })
  is_starred: boolean;

  @PriceField()
  price: number;

  @PricedField()
  priced: boolean;

  @IntegerField({ description: 'The score that was sent; 0 if none was.' })
  score: number;

  @TotalTokensField()
  tokens: number;

  @CallInputTokensField()
  input_tokens: number;

  @CallOutputTokensField()
  output_tokens: number;

  @TextField({ nullable: true, description: 'Always null: logs that come on their own belong to no span.' })
  span_id: string | null;

  @DateTimeField({ description: 'When the log was stored.' })
  created_at: string;

  @ListField('object', { description: 'The metadata: one object with one key per entry.' })
  metadata: Record<string, string>[];

  @ApiProperty({ type: () => [LoggedScore], description: 'The score that was sent, as a list. Empty when none was.' })
  scores: LoggedScore[];

  @LogTagsField()
  tags_array: string[];

  @TextField({ description: 'The last user message, or the text to complete.' })
  prompt_string: string;

  @TextField({ description: 'The answer as text.' })
  response_string: string;
}

/** Throws ValidationProblem for an error type that does not match the status. */
export function toCallToLog(fields: TimedCallFields) {
  const { call, score } = toLoggedCall(fields);
  const { request_start_time: startMs, request_end_time: endMs } = fields;
  return { call, score, startMs, endMs, groupId: null, spanId: null, needsPrompt: true };
}

export function toLogRequestResponse(logged: CallToLog, stored: StoredCall): LogRequestResponse {
  const { workspaceId, call, score, spanId } = logged;
  return {
    id: stored.id,
    request_id: stored.id,
    type: 'request',
    workspace_id: workspaceId,
    user_id: null,
    span_id: spanId,
    status: call.status,
    error_type: call.errorType,
    error_message: call.errorMessage,
    prompt_id: stored.promptLink?.promptId ?? null,
    prompt_version_number: stored.promptLink?.versionNumber ?? null,
    prompt_input_variables: call.promptInputVariables,
    price: stored.price ?? 0,
    priced: stored.price !== null,
    score: score?.value ?? 0,
    scores: score ? [{ name: score.name, score: score.value }] : [],
    created_at: stored.createdAt.toISOString(),
    ...whatWasSaid(logged),
    ...numbers(logged),
    ...NOT_SHARED,
    share_hash: createHash('sha256').update(`${workspaceId}/${stored.id}`).digest('hex').slice(0, 32),
  };
}

const NOT_SHARED = { is_sharable: false, share_view_count: 0, is_starred: false };

function whatWasSaid({ call }: CallToLog) {
  const { input, output, parameters } = call;
  return {
    prompt_version: toPromptBlueprint(call),
    provider_type: call.provider,
    engine: call.model,
    function_name: call.functionName,
    function_args: [],
    function_kwargs: { input, parameters },
    request_response: { output },
    metadata: Object.entries(call.metadata).map(([key, value]) => Object.fromEntries([[key, value]])),
    tags_array: call.tags,
    prompt_string: promptString(input),
    response_string: outputText(output),
  };
}

function numbers({ call: { usage }, startMs, endMs }: CallToLog) {
  const [input_tokens, output_tokens] = [usage.input ?? 0, usage.output ?? 0];
  return {
    input_tokens,
    output_tokens,
    tokens: input_tokens + output_tokens,
    request_start_time: shortIso(isoFromMilliseconds(startMs)),
    request_end_time: shortIso(isoFromMilliseconds(Math.max(startMs, endMs))),
  };
}

/** The last message of the user; for a conversation without a user, the whole text. */
function promptString(input: Prompt): string {
  const asked = input.type === 'chat' ? input.messages.findLast(({ role }) => role === 'user') : input;
  if (!asked) return inputText(input);
  return outputText({ type: 'completion', content: asked.content ?? [], ...NO_TEMPLATE });
}

const NO_TEMPLATE = { input_variables: [], template_format: 'f-string' as const };
