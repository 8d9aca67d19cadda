import { isObject, type JsonValue } from '../../platform/json.js';
import type { MediaTokens } from '../../llm/token-usage.js';
import type { TokenUsage } from '../../requests/index.js';
import type { SpanAttributes } from './attributes.js';
import { toNumber } from './attributes.js';

/** An attribute, or where inside an attribute that holds an object. */
type Source = string | [key: string, ...path: string[]];
const keysOf = (source: Source): string[] => [typeof source === 'string' ? source : source[0]];

/** Beyond any real call, and beyond a PostgreSQL integer. */
const MAX_TOKENS = 2 ** 31 - 1;

const INPUT: Source[] = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
  'llm.usage.prompt_tokens',
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
  // Of embeddings, which have no output.
  'ai.usage.tokens',
  ['langsmith.usage_metadata', 'input_tokens'],
  ['langfuse.observation.usage_details', 'input'],
  ['langfuse.observation.usage_details', 'prompt_tokens'],
  ['langfuse.observation.usage_details', 'input_tokens'],
  ['mlflow.chat.tokenUsage', 'input_tokens'],
];

const OUTPUT: Source[] = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'llm.usage.completion_tokens',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
  ['langsmith.usage_metadata', 'output_tokens'],
  ['langfuse.observation.usage_details', 'output'],
  ['langfuse.observation.usage_details', 'completion_tokens'],
  ['langfuse.observation.usage_details', 'output_tokens'],
  ['mlflow.chat.tokenUsage', 'output_tokens'],
];

const TOTAL: Source[] = [
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'llm.usage.total_tokens',
  'ai.usage.totalTokens',
  ['langsmith.usage_metadata', 'total_tokens'],
  ['langfuse.observation.usage_details', 'total'],
  ['langfuse.observation.usage_details', 'total_tokens'],
  ['mlflow.chat.tokenUsage', 'total_tokens'],
];

const CACHED: Source[] = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.cached_input_tokens',
  'gen_ai.usage.details.cache_read_tokens',
  'gen_ai.usage.details.cache_read_input_tokens',
  'gen_ai.usage.details.cached_tokens',
  'gen_ai.usage.details.cached_content_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  ['gen_ai.usage.input_token_details', 'cache_read'],
  ['langsmith.usage_metadata', 'input_token_details', 'cache_read'],
  'openclaw.usage.cache_read_tokens',
  ['langfuse.observation.usage_details', 'cache_read_input_tokens'],
  ['langfuse.observation.usage_details', 'input_cached_tokens'],
  ['langfuse.observation.usage_details', 'input_cache_read'],
  ['langfuse.observation.usage_details', 'prompt_tokens_details', 'cached_tokens'],
  ['langfuse.observation.usage_details', 'input_tokens_details', 'cached_tokens'],
  ['ai.response.providerMetadata', 'openai', 'cachedPromptTokens'],
  ['ai.response.providerMetadata', 'anthropic', 'usage', 'cache_read_input_tokens'],
];

const CACHE_WRITE: Source[] = [
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.cache_write.input_tokens',
  'gen_ai.usage.cache_write_input_tokens',
  'gen_ai.usage.details.cache_write_tokens',
  'gen_ai.usage.details.cache_creation_input_tokens',
  'llm.token_count.prompt_details.cache_write',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  ['gen_ai.usage.input_token_details', 'cache_creation'],
  ['langsmith.usage_metadata', 'input_token_details', 'cache_creation'],
  'openclaw.usage.cache_write_tokens',
  ['langfuse.observation.usage_details', 'cache_creation_input_tokens'],
  ['langfuse.observation.usage_details', 'input_cache_creation'],
  ['ai.response.providerMetadata', 'anthropic', 'usage', 'cache_creation_input_tokens'],
  ['ai.response.providerMetadata', 'anthropic', 'cacheCreationInputTokens'],
];

const THINKING: Source[] = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'gen_ai.usage.details.reasoning_tokens',
  'gen_ai.usage.details.thoughts_tokens',
  'llm.token_count.completion_details.reasoning',
  'ai.usage.reasoningTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
  ['gen_ai.usage.output_token_details', 'reasoning'],
  ['langsmith.usage_metadata', 'output_token_details', 'reasoning'],
  ['langfuse.observation.usage_details', 'output_reasoning_tokens'],
  ['langfuse.observation.usage_details', 'output_reasoning'],
  ['langfuse.observation.usage_details', 'completion_tokens_details', 'reasoning_tokens'],
  ['langfuse.observation.usage_details', 'output_tokens_details', 'reasoning_tokens'],
  ['ai.response.providerMetadata', 'openai', 'reasoningTokens'],
];

/** Sound, by OpenInference and by Pydantic AI. */
const AUDIO_INPUT: Source[] = ['llm.token_count.prompt_details.audio', 'gen_ai.usage.details.input_audio_tokens'];
const AUDIO_CACHED: Source[] = ['gen_ai.usage.details.cache_audio_read_tokens'];
const AUDIO_OUTPUT: Source[] = ['llm.token_count.completion_details.audio', 'gen_ai.usage.details.output_audio_tokens'];
const NO_COUNTS = { input: 0, cached: 0, output: 0 };

const PRICE: Source[] = [
  'gen_ai.usage.cost',
  'gen_ai.cost.total_cost',
  'llm.cost.total',
  'operation.cost',
  ['langfuse.observation.cost_details', 'total'],
];
const PRICE_PARTS: Source[][] = [
  ['gen_ai.usage.input_cost', 'gen_ai.usage.output_cost'],
  ['llm.cost.prompt', 'llm.cost.completion'],
  [
    ['langfuse.observation.cost_details', 'input'],
    ['langfuse.observation.cost_details', 'output'],
  ],
];

/** The token counts that a span reports. More cached than input tokens: the input was reported without the cached. */
export function readUsage(attributes: SpanAttributes): TokenUsage {
  const input = attributes.inTurn(inputIn);
  const output = readTokens(attributes, OUTPUT);
  const cached = readTokens(attributes, CACHED);
  const cacheWrite = readTokens(attributes, CACHE_WRITE);
  const cacheExclusive = input !== null && (cached ?? 0) + (cacheWrite ?? 0) > input;
  const thinking = readTokens(attributes, THINKING);
  return { input, output, cached, cacheWrite, thinking, media: readMedia(attributes), cacheExclusive };
}

/** No convention tells pictures apart. */
function readMedia(attributes: SpanAttributes): MediaTokens | undefined {
  const input = readTokens(attributes, AUDIO_INPUT) ?? 0;
  const output = readTokens(attributes, AUDIO_OUTPUT) ?? 0;
  if (input === 0 && output === 0) return undefined;
  const cached = readTokens(attributes, AUDIO_CACHED) ?? 0;
  return { audio: { input, cached, output }, image: NO_COUNTS };
}

/** Whether any token count was reported. */
export function reportsUsage(attributes: SpanAttributes): boolean {
  return [INPUT, OUTPUT, TOTAL].some((sources) => tokensIn(attributes, sources) !== null);
}

/** US dollars that a span reports for its call; null when it reports none, or zero, which stands for "not known". */
export function readReportedPrice(attributes: SpanAttributes): number | null {
  return attributes.inTurn(priceIn);
}

function priceIn(attributes: SpanAttributes): number | null {
  for (const source of attributes.among(PRICE, keysOf)) {
    const price = dollarsAt(attributes, source);
    if (price > 0) return price;
  }
  for (const parts of attributes.among(PRICE_PARTS, (sources) => sources.flatMap(keysOf))) {
    const sum = parts.reduce((price, source) => price + dollarsAt(attributes, source), 0);
    if (sum > 0 && Number.isFinite(sum)) return sum;
  }
  return null;
}

/** 0 when there are none. */
function dollarsAt(attributes: SpanAttributes, source: Source): number {
  return Math.max(0, toNumber(valueAt(attributes, source)) ?? 0);
}

function inputIn(attributes: SpanAttributes): number | null {
  return tokensIn(attributes, INPUT) ?? difference(tokensIn(attributes, TOTAL), tokensIn(attributes, OUTPUT));
}

function readTokens(attributes: SpanAttributes, sources: Source[]): number | null {
  return attributes.inTurn((given) => tokensIn(given, sources));
}

function tokensIn(attributes: SpanAttributes, sources: Source[]): number | null {
  for (const source of attributes.among(sources, keysOf)) {
    const tokens = toTokens(valueAt(attributes, source));
    if (tokens !== null) return tokens;
  }
  return null;
}

function valueAt(attributes: SpanAttributes, source: Source): JsonValue | undefined {
  if (typeof source === 'string') return attributes.get(source);
  const [key, ...path] = source;
  return path.reduce<JsonValue | undefined>(
    (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    attributes.json(key),
  );
}

function toTokens(value: JsonValue | undefined): number | null {
  const number = toNumber(value);
  return number !== null && number >= 0 && number <= MAX_TOKENS ? Math.round(number) : null;
}

function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null ? null : Math.max(0, total - part);
}
