import { isObject, type JsonObject } from '../../../platform/json.js';
import { type MediaTokens, placeParts, type TokenCounts, type TokenUsage } from '../../shared/token-usage.js';
import { NO_USAGE, toldMedia, tokensAt } from '../shared/usage.js';

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
    // Perplexity reports it.
    ...(typeof usage.search_context_size === 'string' && { searchContext: usage.search_context_size.toLowerCase() }),
    cacheExclusive: false,
  };
  // xAI counts thinking beside the output, and gateways count the caches of other vendors beside the input; the total
  // shows this.
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
  return toldMedia({ audio: countsOf('audio_tokens', 'audioTokens'), image: countsOf('image_tokens', 'imageTokens') });
}

/** US dollars that a response reports for itself; null when it reports none, or zero, which means "unknown". */
export function reportedCost(usage: JsonObject | null): number | null {
  // Perplexity reports an object with its parts.
  const total = isObject(usage?.cost) ? usage.cost.total_cost : usage?.cost;
  const told = [total, usage?.total_cost].find((cost) => typeof cost === 'number' && cost > 0);
  return typeof told === 'number' ? told : null;
}
