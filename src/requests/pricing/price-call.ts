import type { TokenUsage } from '../llm-call.js';
import { builtInPrice } from './built-in-prices.js';
import type { CustomPrices } from './custom-prices.js';
import { costOf } from './rates.js';

export interface PricedCall {
  /** Canonical provider name, as in {@link LlmCall}. */
  provider: string;
  model: string;
  usage: TokenUsage;
}

/**
 * US dollars, by the public prices at the time the call started and those that its workspace has set; null when no price is
 * known, or no tokens were reported.
 */
export function priceCall({ provider, model, usage }: PricedCall, at: Date, custom?: CustomPrices): number | null {
  if (usage.input === null && usage.output === null) return null;
  const builtIn = builtInPrice(provider, model, at);
  const rates = custom ? custom.over(builtIn, provider, model) : builtIn?.rates;
  return rates ? costOf(usage, rates) : null;
}
