import type { BuiltInPrice } from './built-in-prices.js';

/**
 * How many times the usual price OpenAI asks for tokens that are processed with priority: https://openai.com/api-priority-processing,
 * as read on 2026-11-28. Models that are not listed have no known price.
 */
const OPENAI_PRIORITY: Record<string, number> = {
  'gpt-5.4': 2,
  'gpt-5.4-mini': 2,
  'gpt-5.2': 2,
  'gpt-5.1': 2,
  'gpt-5': 2,
  'gpt-5-mini': 1.8,
  'gpt-4.1': 1.75,
  'gpt-4.1-mini': 1.75,
  'gpt-4.1-nano': 2,
  'gpt-4o': 1.7,
  'gpt-4o-2024-05-13': 1.75,
  'gpt-4o-mini': 5 / 3,
};

/** Priority is for these models up to the border of long contexts only. */
const LONG_CONTEXT = 272_000;

/**
 * The multiple of the usual price that a vendor charges for tokens of a service tier; null when it is unknown.
 * Anthropic's `us` is inference in the United States: https://platform.claude.com/docs/en/about-claude/pricing, as read
 * on 2026-11-28.
 */
export function tierFactor(tier: string | undefined, price: BuiltInPrice | null, inputTokens: number): number | null {
  // A workspace that has set a price for its own model pays that price.
  if (tier === undefined || !price) return 1;
  const { vendor, model } = price;
  if (vendor === 'openai') {
    if (tier === 'flex' || tier === 'batch') return 0.5;
    return tier === 'priority' && inputTokens <= LONG_CONTEXT ? (OPENAI_PRIORITY[model] ?? null) : null;
  }
  if (vendor === 'anthropic') return tier === 'batch' ? 0.5 : tier === 'us' ? 1.1 : null;
  return null;
}
