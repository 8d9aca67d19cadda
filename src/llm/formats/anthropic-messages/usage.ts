import type { JsonObject, JsonValue } from '../../../platform/json.js';
import { type TokenUsage, withServiceTier } from '../../shared/token-usage.js';
import { NO_USAGE, sum, tokensAt } from '../shared/usage.js';

const USUAL = new Set<JsonValue | undefined>([undefined, null, '', 'standard', 'not_available', 'global']);
const isUsual = (tier: JsonValue | undefined): boolean => USUAL.has(tier);

/**
 * Anthropic counts tokens that are read from the cache and written to it beside the input, and reports for how long
 * they are cached.
 */
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
