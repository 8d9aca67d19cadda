import { z } from 'zod';
import type { Prompt } from '../shared/blueprint.js';
import type { PromptReference } from '../shared/prompt-reference.js';
import { LoggedPromptSchema } from '../shared/logged-prompt.schema.js';
import { withoutCredentials } from '../../platform/credentials.js';
import { anyTime } from '../../platform/http/any-time.js';
import { MAX_ID } from '../../platform/http/fields.js';
import { boundedText } from '../../platform/http/schema-field.js';
import type { JsonObject } from '../../platform/json.js';
import type { LlmCall } from './llm-call.js';
import { METADATA_KEY_LENGTH, METADATA_MOST_KEYS, toMetadata } from './metadata.js';
import { checkOutcome, ERROR_MESSAGE_LENGTH, ERROR_TYPE_NAMES, outcomeMismatch, STATUSES } from './outcome.js';

/** The name of the score of a call that has only one. */
export const DEFAULT_SCORE = 'default';

/** In characters. */
export const SCORE_NAME_LENGTH = 255;

/** The largest integer of a column. */
const MAX_TOKENS = MAX_ID;
/** Each is an entry of the search index. */
const MOST_TAGS = 1000;

const anyObject = z.record(z.string(), z.unknown());

export const tagList = z.array(boundedText(0, 512)).max(MOST_TAGS);

/** Values that are no text are kept as JSON text; null is left out. */
export const metadataMap = anyObject.superRefine((metadata, context) => {
  const keys = Object.keys(metadata);
  const isLong = (key: string) => key.length > METADATA_KEY_LENGTH && [...key].length > METADATA_KEY_LENGTH;
  for (const key of keys.filter(isLong)) {
    const message = `Keys should have at most ${METADATA_KEY_LENGTH} characters`;
    context.addIssue({ code: 'custom', message, path: [key.slice(0, 64)] });
  }
  if (keys.length > METADATA_MOST_KEYS) {
    context.addIssue({ code: 'custom', message: `Input should have at most ${METADATA_MOST_KEYS} keys` });
  }
});

/** The fields of a call as clients log it. Absent and null mean the same. */
export const loggedCallFields = {
  provider: boundedText(0, 255),
  model: boundedText(0, 512),
  input: LoggedPromptSchema,
  output: LoggedPromptSchema,
  request_start_time: anyTime,
  request_end_time: anyTime,
  parameters: anyObject.nullish(),
  tags: tagList.nullish(),
  metadata: metadataMap.nullish(),
  prompt_name: z.string().max(512).nullish(),
  prompt_id: z.int().min(1).nullish(),
  prompt_version_number: z.int().min(1).nullish(),
  prompt_input_variables: anyObject.nullish(),
  input_tokens: z.int().min(0).max(MAX_TOKENS).nullish(),
  output_tokens: z.int().min(0).max(MAX_TOKENS).nullish(),
  price: z.number().min(0).nullish(),
  function_name: boundedText(0, 1024).nullish(),
  score: z.int().min(0).max(100).nullish(),
  score_name: boundedText(0, SCORE_NAME_LENGTH).nullish(),
  api_type: boundedText(0, 255).nullish(),
  status: z.enum(STATUSES).nullish(),
  error_type: z.enum(ERROR_TYPE_NAMES).nullish(),
  error_message: boundedText(0, ERROR_MESSAGE_LENGTH).nullish(),
};

/** Descriptions of the fields. */
export const LOGGED_CALL_DESCRIPTIONS: Record<keyof typeof loggedCallFields, string> = {
  provider: 'The provider of the model, such as `openai` or `anthropic`. `provider` and `model` determine the price.',
  model: 'The model, as the provider calls it.',
  input: 'The input of the call: the messages, tools and functions of a chat, or a text to complete.',
  output: 'The output of the call. It may have no messages if the call failed.',
  request_start_time: 'When the call began.',
  request_end_time: 'When the answer was complete. An end before the start counts as a latency of 0.',
  parameters: 'The parameters of the model. Credentials in them are left out.',
  tags: 'Tags to find the log by. Each has up to 512 characters; a tag given twice counts once.',
  metadata: 'Keys and values to find the log by. Other values than texts are kept as JSON text; null is ignored.',
  prompt_name: 'The prompt of the registry that was called.',
  prompt_id: 'The id of the prompt of the registry that was called. Takes precedence over the name.',
  prompt_version_number: 'The version of the prompt. The newest version by default.',
  prompt_input_variables: 'The values that the variables of the prompt had in this call, by name.',
  input_tokens: 'Input tokens of the call, as the provider counts them.',
  output_tokens: 'Output tokens of the call, reasoning included.',
  price: 'The cost in US dollars. If missing or 0, it is computed from the tokens.',
  function_name: 'The name of the function of your program or client that made the call.',
  score: 'A score of the call, 0 to 100. A score of 0 without a name is not kept.',
  score_name: 'The name of `score`.',
  api_type: 'The API of the provider that was called, such as `chat-completions` or `responses`.',
  status:
    'The outcome of the call: `WARNING` for an answer with a problem, `ERROR` for a failed call. Default: `SUCCESS`.',
  error_type: 'The type of the error. Each type is allowed with certain statuses only.',
  error_message: 'The error message of the provider or of your program, up to 1,024 characters.',
};

/** The same fields with their descriptions. */
const describedFields = Object.fromEntries(
  Object.entries(loggedCallFields).map(([name, schema]) => [
    name,
    schema.meta({ description: LOGGED_CALL_DESCRIPTIONS[name as keyof typeof loggedCallFields] }),
  ]),
) as typeof loggedCallFields;

/** A call that comes inside the span it was made in: its times may be left out. */
export const loggedCallInSpan = z
  .object({
    ...describedFields,
    request_start_time: anyTime.nullish().meta({ description: 'When the call began. By default when its span did.' }),
    request_end_time: anyTime
      .nullish()
      .meta({ description: 'When the answer was complete. By default when its span ended.' }),
  })
  .superRefine(({ status, error_type }, context) => {
    const message = outcomeMismatch(status, error_type);
    if (message !== null) context.addIssue({ code: 'custom', message, path: ['error_type'] });
  })
  .meta({ id: 'LoggedCall', description: 'A call of a language model, as in POST /log-request.' });

/** The fields of a call after validation. */
export type LoggedCallFields = z.output<typeof loggedCallInSpan>;

/** A call with its times. */
export type TimedCallFields = LoggedCallFields & { request_start_time: number; request_end_time: number };

export interface LoggedCall {
  call: LlmCall;
  /** Milliseconds since the epoch, with a fraction; null when not given. */
  startMs: number | null;
  endMs: number | null;
  score: { name: string; value: number } | null;
}

/** A logged call in the shape that is stored. Throws ValidationProblem for an error type that does not go with the status. */
export function toLoggedCall(fields: LoggedCallFields): LoggedCall {
  checkOutcome(fields);
  return {
    call: toCall(fields),
    startMs: fields.request_start_time ?? null,
    endMs: fields.request_end_time ?? null,
    score: toScore(fields),
  };
}

function toCall(fields: LoggedCallFields): LlmCall {
  const { price, input_tokens: input, output_tokens: output } = fields;
  return {
    provider: fields.provider.trim() || 'unknown',
    model: fields.model.trim() || 'unknown',
    apiType: fields.api_type || null,
    functionName: fields.function_name ?? '',
    input: withoutSecretsOfTools(fields.input),
    output: withoutSecretsOfTools(fields.output),
    usage: { ...NO_DETAILS, input: input ?? 0, output: output ?? 0 },
    reportedPrice: price !== undefined && price !== null && price > 0 ? price : null,
    prompt: toPromptReference(fields),
    ...toOutcome(fields),
    ...toAnnotations(fields),
  };
}

/** Tools may contain the credentials that they are reached with, such as the headers of an MCP server. */
function withoutSecretsOfTools(prompt: Prompt): Prompt {
  return prompt.type === 'chat' && prompt.tools ? { ...prompt, tools: withoutCredentials(prompt.tools) } : prompt;
}

const NO_DETAILS = { cached: null, cacheWrite: null, thinking: null, cacheExclusive: false };

function toOutcome(fields: LoggedCallFields): Pick<LlmCall, 'status' | 'errorType' | 'errorMessage'> {
  return {
    status: fields.status ?? 'SUCCESS',
    errorType: fields.error_type ?? null,
    errorMessage: fields.error_message ?? null,
  };
}

/** Data that clients log beside the call itself. */
export function toAnnotations(
  fields: Pick<LoggedCallFields, 'parameters' | 'tags' | 'metadata' | 'prompt_input_variables'>,
): Pick<LlmCall, 'parameters' | 'tags' | 'metadata' | 'promptInputVariables'> {
  return {
    parameters: withoutCredentials((fields.parameters ?? {}) as JsonObject),
    tags: [...new Set(fields.tags)],
    metadata: toMetadata((fields.metadata ?? {}) as JsonObject),
    promptInputVariables: (fields.prompt_input_variables ?? {}) as JsonObject,
  };
}

/** A version without a prompt is ignored. */
function toPromptReference(fields: LoggedCallFields): PromptReference | null {
  const id = fields.prompt_id ?? null;
  const name = fields.prompt_name || null;
  if (id === null && name === null) return null;
  return { id, name, version: fields.prompt_version_number ?? null, label: null };
}

/** SDKs always send a score of 0 without a name, which is ignored. */
function toScore({ score, score_name: name }: LoggedCallFields): LoggedCall['score'] {
  if (score === undefined || score === null) return null;
  return score > 0 || name ? { name: name || DEFAULT_SCORE, value: score } : null;
}
