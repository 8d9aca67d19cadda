import type { ModelPrices } from '../../requests/index.js';
import type { PriceOf } from './run-plan.js';

const NO_DETAILS = { cached: null, cacheWrite: null, thinking: null, cacheExclusive: false };

/** Prices estimated calls with the current prices of a workspace. */
export function priceEstimates(prices: ModelPrices, workspaceId: number): PriceOf {
  return ({ provider, model, inputTokens, outputTokens }) => {
    const usage = { ...NO_DETAILS, input: inputTokens, output: outputTokens };
    return prices.costOf(workspaceId, { provider, model, usage, reportedPrice: null }, Date.now());
  };
}
