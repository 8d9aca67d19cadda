import { isObject, type JsonObject, type JsonValue } from '../../../platform/json.js';
import { type MediaTokens, type TokenCounts, type TokenUsage, withServiceTier } from '../../shared/token-usage.js';
import { NO_USAGE, sum, toldMedia, tokensAt } from '../shared/usage.js';

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
  return toldMedia({ audio: countsOf('AUDIO'), image: countsOf('IMAGE') });
}

/** Google lists a count for each kind of content. */
function tokensOf(usage: JsonObject, modality: string, ...members: string[]): number {
  const list = members.map((member) => usage[member]).find(Array.isArray) as JsonValue[] | undefined;
  const counts = (list ?? []).filter((count) => isObject(count)).filter((count) => count.modality === modality);
  return counts.reduce((all, count) => all + (tokensAt(count, 'tokenCount', 'token_count') ?? 0), 0);
}
