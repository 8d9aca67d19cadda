import { isObject, type JsonObject, type JsonValue } from '../../platform/json.js';
import { type MediaTokens, placeParts, type TokenCounts, type TokenUsage, withServiceTier } from '../token-usage.js';

export const NO_USAGE: TokenUsage = {
  input: null,
  output: null,
  cached: null,
  cacheWrite: null,
  thinking: null,
  cacheExclusive: false,
};

/** Beyond any real call, and beyond a PostgreSQL integer. */
const MAX_TOKENS = 2 ** 31 - 1;

/** The first of the members, each a path, that holds a count of tokens. */
export function tokensAt(usage: JsonObject, ...paths: string[]): number | null {
  for (const path of paths) {
    const value = path
      .split('.')
      .reduce<JsonValue | undefined>(
        (at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
        usage,
      );
    if (typeof value === 'number' && value >= 0 && value <= MAX_TOKENS) return Math.round(value);
  }
  return null;
}

const USUAL = new Set<JsonValue | undefined>([undefined, null, '', 'standard', 'not_available', 'global']);
const isUsual = (tier: JsonValue | undefined): boolean => USUAL.has(tier);

/** US dollars that a response reports for itself; null when it reports none, or zero, which stands for "not known". */
export function reportedCost(usage: JsonObject | null): number | null {
  // Perplexity tells an object with its parts.
  const total = isObject(usage?.cost) ? usage.cost.total_cost : usage?.cost;
  const told = [total, usage?.total_cost].find((cost) => typeof cost === 'number' && cost > 0);
  return typeof told === 'number' ? told : null;
}

/** Usage in the words of OpenAI, of its older and newer endpoints, which many others have taken over. */
export function openAiUsage(usage: JsonObject | null): TokenUsage {
  if (!usage) return NO_USAGE;
  const input = tokensAt(usage, 'prompt_tokens', 'input_tokens', 'promptTokens', 'inputTokens');
  const output = tokensAt(usage, 'completion_tokens', 'output_tokens', 'completionTokens', 'outputTokens');
  const thinking = tokensAt(
    usage,
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'completionTokensDetails.reasoningTokens',
  );
  const counts: TokenUsage = {
    input,
    output,
    cached: tokensAt(
      usage,
      'prompt_tokens_details.cached_tokens',
      'input_tokens_details.cached_tokens',
      'promptTokensDetails.cachedTokens',
      'prompt_cache_hit_tokens',
    ),
    cacheWrite: tokensAt(
      usage,
      'prompt_tokens_details.cache_write_tokens',
      'input_tokens_details.cache_write_tokens',
      'promptTokensDetails.cacheWriteTokens',
      'prompt_tokens_details.cache_creation_tokens',
    ),
    thinking,
    media: openAiMedia(usage),
    // Perplexity tells it.
    ...(typeof usage.search_context_size === 'string' && { searchContext: usage.search_context_size.toLowerCase() }),
    cacheExclusive: false,
  };
  // xAI counts what a model thought beside what it said, and gateways what other vendors keep in caches; the total tells.
  return placeParts(counts, tokensAt(usage, 'total_tokens', 'totalTokens'));
}

const INPUT_DETAILS = ['prompt_tokens_details', 'input_tokens_details', 'promptTokensDetails'];
const OUTPUT_DETAILS = ['completion_tokens_details', 'output_tokens_details', 'completionTokensDetails'];

function openAiMedia(usage: JsonObject): MediaTokens | undefined {
  const countsOf = (...names: string[]): TokenCounts => {
    const count = (details: string[]) =>
      tokensAt(usage, ...details.flatMap((member) => names.map((name) => `${member}.${name}`))) ?? 0;
    const cached = INPUT_DETAILS.map((member) => `${member}.cached_tokens_details`);
    return { input: count(INPUT_DETAILS), cached: count(cached), output: count(OUTPUT_DETAILS) };
  };
  return told({ audio: countsOf('audio_tokens', 'audioTokens'), image: countsOf('image_tokens', 'imageTokens') });
}

/** Undefined when there is nothing but text. */
function told(media: MediaTokens): MediaTokens | undefined {
  const counts = Object.values(media).flatMap(({ input, output }: TokenCounts) => [input, output]);
  return counts.some((count) => count > 0) ? media : undefined;
}

/** Anthropic counts what it reads from and writes to the cache beside the input, and tells for how long it is written. */
export function anthropicUsage(usage: JsonObject | null): TokenUsage {
  if (!usage) return NO_USAGE;
  const minutes = tokensAt(usage, 'cache_creation.ephemeral_5m_input_tokens');
  const hour = tokensAt(usage, 'cache_creation.ephemeral_1h_input_tokens');
  const searches = tokensAt(usage, 'server_tool_use.web_search_requests');
  const counts: TokenUsage = {
    ...NO_USAGE,
    input: tokensAt(usage, 'input_tokens'),
    output: tokensAt(usage, 'output_tokens'),
    cached: tokensAt(usage, 'cache_read_input_tokens'),
    cacheWrite: tokensAt(usage, 'cache_creation_input_tokens') ?? sum(minutes, hour),
    cacheWriteHour: hour,
    ...(searches && { webSearches: searches }),
    cacheExclusive: true,
  };
  // The region and the faster mode change the price of tokens like a tier; of two at once no price is known.
  const tiers = [usage.service_tier, usage.speed, usage.inference_geo].filter((tier) => !isUsual(tier));
  return tiers.length === 0 ? counts : withServiceTier(counts, tiers.join(' '));
}

/** Bedrock counts the cache beside the input as well. */
export function bedrockUsage(usage: JsonObject | null): TokenUsage {
  if (!usage) return NO_USAGE;
  return {
    ...NO_USAGE,
    input: tokensAt(usage, 'inputTokens'),
    output: tokensAt(usage, 'outputTokens'),
    cached: tokensAt(usage, 'cacheReadInputTokens', 'cacheReadInputTokenCount'),
    cacheWrite: tokensAt(usage, 'cacheWriteInputTokens', 'cacheWriteInputTokenCount'),
    cacheExclusive: true,
  };
}

/** Google counts thoughts beside the candidates, and the results of tools beside the prompt. */
export function googleUsage(usage: JsonObject | null): TokenUsage {
  if (!usage) return NO_USAGE;
  const thinking = tokensAt(usage, 'thoughtsTokenCount', 'thoughts_token_count');
  const candidates = tokensAt(
    usage,
    'candidatesTokenCount',
    'candidates_token_count',
    'responseTokenCount',
    'response_token_count',
  );
  const prompt = tokensAt(usage, 'promptTokenCount', 'prompt_token_count');
  const tools = tokensAt(usage, 'toolUsePromptTokenCount', 'tool_use_prompt_token_count');
  const counts: TokenUsage = {
    ...NO_USAGE,
    input: sum(prompt, tools),
    output: sum(candidates, thinking),
    cached: tokensAt(usage, 'cachedContentTokenCount', 'cached_content_token_count'),
    thinking,
    media: googleMedia(usage),
  };
  return withServiceTier(counts, usage.trafficType ?? usage.traffic_type ?? usage.serviceTier ?? usage.service_tier);
}

function googleMedia(usage: JsonObject): MediaTokens | undefined {
  const countsOf = (modality: string): TokenCounts => ({
    input: tokensOf(usage, modality, 'promptTokensDetails', 'prompt_tokens_details'),
    cached: tokensOf(usage, modality, 'cacheTokensDetails', 'cache_tokens_details'),
    output: tokensOf(usage, modality, 'candidatesTokensDetails', 'candidates_tokens_details', 'responseTokensDetails'),
  });
  return told({ audio: countsOf('AUDIO'), image: countsOf('IMAGE') });
}

/** Google lists a count for each kind of content. */
function tokensOf(usage: JsonObject, modality: string, ...members: string[]): number {
  const list = members.map((member) => usage[member]).find(Array.isArray) as JsonValue[] | undefined;
  const counts = (list ?? []).filter((count) => isObject(count)).filter((count) => count.modality === modality);
  return counts.reduce((all, count) => all + (tokensAt(count, 'tokenCount', 'token_count') ?? 0), 0);
}

function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : Math.min(MAX_TOKENS, (a ?? 0) + (b ?? 0));
}
