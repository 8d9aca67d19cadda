import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { toNumber } from './attributes.js';
import { firstText } from '../../llm/messages/parts.js';

/** Where an answer keeps its usage, as a path. */
const USAGE_PATHS: (string | number)[][] = [
  ['usage'],
  ['usageMetadata'],
  ['usage_metadata'],
  ['llm_output', 'token_usage'],
  ['generations', 0, 0, 'message', 'kwargs', 'usage_metadata'],
  ['generations', 0, 0, 'message', 'usage_metadata'],
  ['token_usage'],
];

/** The members that vendors use for each count, by the attribute that the count would have had. */
const COUNTS: Readonly<Record<string, string[][]>> = {
  'gen_ai.usage.input_tokens': [
    ['input_tokens'],
    ['prompt_tokens'],
    ['inputTokens'],
    ['promptTokens'],
    ['promptTokenCount'],
    ['prompt_token_count'],
  ],
  'gen_ai.usage.output_tokens': [
    ['output_tokens'],
    ['completion_tokens'],
    ['outputTokens'],
    ['completionTokens'],
    ['candidatesTokenCount'],
    ['candidates_token_count'],
  ],
  'gen_ai.usage.total_tokens': [['total_tokens'], ['totalTokens'], ['totalTokenCount'], ['total_token_count']],
  'gen_ai.usage.cache_read.input_tokens': [
    ['prompt_tokens_details', 'cached_tokens'],
    ['input_tokens_details', 'cached_tokens'],
    ['input_token_details', 'cache_read'],
    ['cache_read_input_tokens'],
    ['cacheReadInputTokens'],
    ['cachedContentTokenCount'],
    ['cached_content_token_count'],
    ['cachedContentTokens'],
  ],
  'gen_ai.usage.cache_creation.input_tokens': [
    ['input_token_details', 'cache_creation'],
    ['cache_creation_input_tokens'],
    ['cacheWriteInputTokens'],
  ],
  'gen_ai.usage.reasoning.output_tokens': [
    ['completion_tokens_details', 'reasoning_tokens'],
    ['output_tokens_details', 'reasoning_tokens'],
    ['output_token_details', 'reasoning'],
    ['thoughtsTokenCount'],
    ['thoughts_token_count'],
    ['thoughtsTokens'],
  ],
};

/** Google counts thoughts beside its candidates, where others count them among the output. */
const THOUGHTS_APART = ['thoughtsTokenCount', 'thoughts_token_count'];

/** The token counts of a vendor's answer, as the attributes that would have told them. */
export function impliedUsage(answer: JsonValue | undefined): JsonObject {
  const usage = USAGE_PATHS.map((path) => at(answer, path)).find(isObject);
  const implied: JsonObject = {};
  if (!usage) return implied;
  for (const [key, paths] of Object.entries(COUNTS)) {
    const count = paths.map((path) => toNumber(at(usage, path))).find((number) => number !== null);
    if (count !== undefined) implied[key] = count;
  }
  const thoughts = THOUGHTS_APART.map((name) => toNumber(usage[name])).find((number) => number !== null);
  const output = toNumber(implied['gen_ai.usage.output_tokens']);
  if (thoughts !== undefined && output !== null) implied['gen_ai.usage.output_tokens'] = output + thoughts;
  return implied;
}

/** The model that a request or an answer names, as the attribute that would have named it. */
export function impliedModel(...payloads: (JsonValue | undefined)[]): JsonObject {
  const model = firstText(...payloads.map((payload) => (isObject(payload) ? payload.model : null)));
  return model === '' ? {} : { 'gen_ai.request.model': model };
}

/** What is at the end of a path of members and indexes; undefined when it breaks off. */
export function at(value: JsonValue | undefined, path: (string | number)[]): JsonValue | undefined {
  let inner = value;
  for (const step of path) {
    if (typeof step === 'number') inner = Array.isArray(inner) ? inner[step] : undefined;
    else inner = isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  }
  return inner;
}
