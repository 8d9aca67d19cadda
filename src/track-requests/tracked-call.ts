import type { AnswerEnd } from '../llm/shared/answer-end.js';
import { truncate } from '../llm/messages/json-text.js';
import { readNativeCall } from '../llm/formats/formats.js';
import type { JsonObject, JsonValue } from '../platform/json.js';
import {
  ERROR_MESSAGE_LENGTH,
  type ErrorType,
  type Outcome,
  outcomeMismatch,
  outcomeOf,
} from '../llm/records/outcome.js';
import type { LlmCall, RequestStatus } from '../llm/records/llm-call.js';
import { toAnnotations } from '../llm/records/logged-call.js';

/** A call in the form of the SDK wrappers. Missing and null mean the same. */
export interface TrackedCallFields {
  function_name: string;
  provider_type?: string | null;
  args?: JsonValue[] | null;
  kwargs?: JsonObject | null;
  request_response?: JsonValue;
  tags?: string[] | null;
  metadata?: JsonObject | null;
  prompt_id?: number | null;
  prompt_version?: number | null;
  prompt_input_variables?: JsonObject | null;
  status?: RequestStatus | null;
  error_type?: ErrorType | null;
  error_message?: string | null;
}

/** Clients whose names differ from their provider's. */
const CLIENTS: [RegExp, string][] = [
  [/^openai\.(?:Async)?AzureOpenAI\b/, 'openai.azure'],
  [/^boto3\b/, 'amazon.bedrock'],
];
const CLIENT_NAME = /^(?:openai|anthropic|google|mistral|openrouter|cohere|huggingface)\b/;

/** Converts a call of a vendor's client to the stored form. */
export function toTrackedCall(fields: TrackedCallFields): LlmCall {
  const provider = fields.provider_type?.trim() || providerOf(fields.function_name);
  const read = readNativeCall({
    functionName: fields.function_name,
    provider,
    args: fields.args ?? [],
    kwargs: fields.kwargs ?? {},
    response: fields.request_response ?? null,
  });
  const { input, output, usage, parameters, apiType } = read;
  return {
    ...toAnnotations(fields),
    ...toOutcome(fields, read.end),
    provider,
    model: read.model ?? 'unknown',
    answeredBy: read.answeredBy,
    functionName: fields.function_name,
    apiType,
    input,
    output,
    usage,
    parameters,
    reportedPrice: read.price,
    prompt: toPromptReference(fields),
  };
}

function providerOf(functionName: string): string {
  const client = CLIENTS.find(([pattern]) => pattern.test(functionName));
  return client?.[1] ?? CLIENT_NAME.exec(functionName)?.[0] ?? 'unknown';
}

/** The outcome that the client reports, or else that of the response. */
function toOutcome({ status, error_type, error_message }: TrackedCallFields, end: AnswerEnd): Outcome {
  if (!status && !error_type && !error_message) return outcomeOf(end);
  return {
    status: status ?? statusOf(error_type),
    errorType: error_type ?? null,
    errorMessage: error_message ? truncate(error_message, ERROR_MESSAGE_LENGTH) : null,
  };
}

/** Status of a call with an error and no status: failed, unless the type of the error is a warning. */
const statusOf = (errorType: ErrorType | null | undefined): RequestStatus =>
  errorType && outcomeMismatch('ERROR', errorType) !== null ? 'WARNING' : 'ERROR';

function toPromptReference({ prompt_id: id, prompt_version: version }: TrackedCallFields): LlmCall['prompt'] {
  return id ? { id, name: null, version: version ?? null, label: null } : null;
}
