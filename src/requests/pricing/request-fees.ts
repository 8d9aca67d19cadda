import type { BuiltInPrice } from './built-in-prices.js';
import type { Rates } from './rates.js';

/**
 * Fees of Perplexity per request, besides the tokens, by the size of the search context, in US dollars per thousand
 * requests: https://docs.perplexity.ai/docs/getting-started/pricing, as read on 2026-11-28. The price table has only
 * the highest fee.
 */
const PERPLEXITY: Record<string, Record<string, number>> = {
  sonar: { low: 5, medium: 8, high: 12 },
  'sonar-reasoning': { low: 5, medium: 8, high: 12 },
  'sonar-pro': { low: 6, medium: 10, high: 14 },
  'sonar-reasoning-pro': { low: 6, medium: 10, high: 14 },
};

/** Perplexity's default. */
const USUAL_CONTEXT = 'low';

/** The rates of a public price with the fee of such a request; null when the fee is unknown. */
export function withRequestFee({ vendor, model, rates }: BuiltInPrice, context: string = USUAL_CONTEXT): Rates | null {
  const fees = vendor === 'perplexity' ? PERPLEXITY[model] : undefined;
  if (!fees) return rates;
  const fee = fees[context];
  return fee === undefined ? null : { ...rates, requests_kcount: fee };
}
