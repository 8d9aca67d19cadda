import type { BuiltInPrice } from './built-in-prices.js';
import type { Rates } from './rates.js';

/**
 * What Perplexity asks for each request of a model beside its tokens, by how much of the web it looks at, in US dollars for a thousand
 * requests: https://docs.perplexity.ai/docs/getting-started/pricing, as read on 2026-11-28. The price table has one fee, the highest.
 */
const PERPLEXITY: Record<string, Record<string, number>> = {
  sonar: { low: 5, medium: 8, high: 12 },
  'sonar-reasoning': { low: 5, medium: 8, high: 12 },
  'sonar-pro': { low: 6, medium: 10, high: 14 },
  'sonar-reasoning-pro': { low: 6, medium: 10, high: 14 },
};

/** What Perplexity does where a request does not say otherwise. */
const USUAL_CONTEXT = 'low';

/** The rates of a public price with the fee of such a request; null where nobody knows the fee. */
export function withRequestFee({ vendor, model, rates }: BuiltInPrice, context: string = USUAL_CONTEXT): Rates | null {
  const fees = vendor === 'perplexity' ? PERPLEXITY[model] : undefined;
  if (!fees) return rates;
  const fee = fees[context];
  return fee === undefined ? null : { ...rates, requests_kcount: fee };
}
