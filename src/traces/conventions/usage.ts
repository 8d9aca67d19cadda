import { isObject, type JsonValue } from '../../platform/json.js';
import type { TokenUsage } from '../../requests/index.js';
import type { SpanAttributes } from './attributes.js';
import { toNumber } from './attributes.js';

/** An attribute, or where inside an attribute that holds an object. */
type TokenSource = string | [key: string, ...path: string[]];
const keysOf = (source: TokenSource): string[] => [typeof source === 'string' ? source : source[0]];

/** Beyond any real call, and beyond a PostgreSQL integer. */
const MAX_TOKENS = 2 ** 31 - 1;

const INPUT: TokenSource[] = [
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
  ['mlflow.chat.tokenUsage', 'input_tokens'],
];

const OUTPUT: TokenSource[] = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'llm.usage.completion_tokens',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
  ['langsmith.usage_metadata', 'output_tokens'],
  ['langfuse.observation.usage_details', 'output'],
  ['langfuse.observation.usage_details', 'completion_tokens'],
  ['mlflow.chat.tokenUsage', 'output_tokens'],
];

const TOTAL: TokenSource[] = [
  'gen_ai.usage.total_tokens',
  'llm.token_count.total',
  'llm.usage.total_tokens',
  'ai.usage.totalTokens',
  ['langsmith.usage_metadata', 'total_tokens'],
  ['langfuse.observation.usage_details', 'total'],
  ['mlflow.chat.tokenUsage', 'total_tokens'],
];

const CACHED: TokenSource[] = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'gen_ai.usage.details.cache_read_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
  'ai.usage.inputTokenDetails.cacheReadTokens',
  ['gen_ai.usage.input_token_details', 'cache_read'],
  ['langsmith.usage_metadata', 'input_token_details', 'cache_read'],
  'openclaw.usage.cache_read_tokens',
  ['langfuse.observation.usage_details', 'cache_read_input_tokens'],
  ['langfuse.observation.usage_details', 'input_cached_tokens'],
  ['ai.response.providerMetadata', 'openai', 'cachedPromptTokens'],
  ['ai.response.providerMetadata', 'anthropic', 'usage', 'cache_read_input_tokens'],
];

const CACHE_WRITE: TokenSource[] = [
  'gen_ai.usage.cache_creation.input_tokens',
  'gen_ai.usage.cache_creation_input_tokens',
  'gen_ai.usage.details.cache_write_tokens',
  'llm.token_count.prompt_details.cache_write',
  'ai.usage.inputTokenDetails.cacheWriteTokens',
  ['gen_ai.usage.input_token_details', 'cache_creation'],
  ['langsmith.usage_metadata', 'input_token_details', 'cache_creation'],
  'openclaw.usage.cache_write_tokens',
  ['langfuse.observation.usage_details', 'cache_creation_input_tokens'],
  ['ai.response.providerMetadata', 'anthropic', 'usage', 'cache_creation_input_tokens'],
  ['ai.response.providerMetadata', 'anthropic', 'cacheCreationInputTokens'],
];

const THINKING: TokenSource[] = [
  'gen_ai.usage.reasoning.output_tokens',
  'gen_ai.usage.reasoning_tokens',
  'gen_ai.usage.details.reasoning_tokens',
  'llm.token_count.completion_details.reasoning',
  'ai.usage.reasoningTokens',
  'ai.usage.outputTokenDetails.reasoningTokens',
  ['gen_ai.usage.output_token_details', 'reasoning'],
  ['langsmith.usage_metadata', 'output_token_details', 'reasoning'],
  ['langfuse.observation.usage_details', 'output_reasoning_tokens'],
  ['ai.response.providerMetadata', 'openai', 'reasoningTokens'],
];

const PRICE = ['gen_ai.usage.cost', 'gen_ai.cost.total_cost', 'llm.cost.total', 'operation.cost'];
const PRICE_PARTS = [
  ['gen_ai.usage.input_cost', 'gen_ai.usage.output_cost'],
  ['llm.cost.prompt', 'llm.cost.completion'],
];

/** The token counts that a span reports. More cached than input tokens: the input was reported without the cached. */
export function readUsage(attributes: SpanAttributes): TokenUsage {
  const output = readTokens(attributes, OUTPUT);
  const input = readTokens(attributes, INPUT) ?? difference(readTokens(attributes, TOTAL), output);
  const cached = readTokens(attributes, CACHED);
  const cacheWrite = readTokens(attributes, CACHE_WRITE);
  const cacheExclusive = input !== null && (cached ?? 0) + (cacheWrite ?? 0) > input;
  return { input, output, cached, cacheWrite, thinking: readTokens(attributes, THINKING), cacheExclusive };
}

/** Whether any token count was reported. */
export function reportsUsage(usage: TokenUsage): boolean {
  return usage.input !== null || usage.output !== null;
}

/** US dollars that a span reports for its call; null when it reports none, or zero, which stands for "not known". */
export function readReportedPrice(attributes: SpanAttributes): number | null {
  const total = attributes.firstNumber(PRICE);
  if (total !== null && total > 0) return total;
  for (const keys of attributes.among(PRICE_PARTS, (parts) => parts)) {
    const sum = keys.reduce((price, key) => price + Math.max(0, attributes.number(key) ?? 0), 0);
    if (sum > 0 && Number.isFinite(sum)) return sum;
  }
  return null;
}

function readTokens(attributes: SpanAttributes, sources: TokenSource[]): number | null {
  for (const source of attributes.among(sources, keysOf)) {
    const tokens = toTokens(typeof source === 'string' ? attributes.get(source) : member(attributes, source));
    if (tokens !== null) return tokens;
  }
  return null;
}

function member(attributes: SpanAttributes, source: [key: string, ...path: string[]]): JsonValue | undefined {
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
