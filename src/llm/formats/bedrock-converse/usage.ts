import type { JsonObject } from '../../../platform/json.js';
import type { TokenUsage } from '../../shared/token-usage.js';
import { NO_USAGE, tokensAt } from '../shared/usage.js';

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
