import { withoutNoise } from '../../platform/numbers.js';
import type { TokenUsage } from '../../llm/token-usage.js';
import { type BuiltInPrice, builtInPrice } from './built-in-prices.js';
import type { CustomPrices } from './custom-prices.js';
import { costOf, inputOf, type Rates } from './rates.js';
import { withRequestFee } from './request-fees.js';
import { tierFactor } from './service-tiers.js';

export interface PricedCall {
  /** Canonical provider name, as in {@link LlmCall}. */
  provider: string;
  model: string;
  /** As in {@link LlmCall}. */
  answeredBy?: string | null;
  usage: TokenUsage;
}

interface FoundRates {
  rates: Rates | null;
  /** The public price, whatever the workspace has set. */
  public: BuiltInPrice | null;
  /** The workspace has set some of them. */
  set: boolean;
}

/** There the model that is asked for is the name of a deployment, which may be anything. */
const AZURE = 'openai.azure';

/** These models search the web, which is billed apart, and do not tell how often. */
const SEARCHES = /-search-(?:preview|api)\b/;

/**
 * US dollars, by the public prices at the time the call started and those that its workspace has set; null when no price is
 * known, no tokens were reported, or something is billed beside them that is not known.
 */
export function priceCall(call: PricedCall, at: Date, custom?: CustomPrices): number | null {
  const { usage } = call;
  if ((usage.input === null && usage.output === null) || usage.hasOtherCharges) return null;
  const found = ratesOf(call, at, custom);
  if (!found.rates || (!found.set && SEARCHES.test(call.model))) return null;
  const factor = tierFactor(usage.serviceTier, found.public, inputOf(usage));
  const isPublic = found.public !== null && !found.set;
  const rates = isPublic ? withRequestFee(found.public!, usage.searchContext) : found.rates;
  const cost = factor === null || !rates ? null : costOf(usage, rates, factor);
  return cost === null ? null : withoutNoise(cost);
}

/** Those of the model that was asked for, or of the one that a deployment turned out to be. */
function ratesOf({ provider, model, answeredBy }: PricedCall, at: Date, custom?: CustomPrices): FoundRates {
  const asked = findRates(provider, model, at, custom);
  if (provider !== AZURE || !answeredBy || asked.set) return asked;
  const answered = findRates(provider, answeredBy, at, custom);
  return answered.rates ? answered : asked;
}

function findRates(provider: string, model: string, at: Date, custom?: CustomPrices): FoundRates {
  const builtIn = builtInPrice(provider, model, at);
  const rates = custom ? custom.over(builtIn, provider, model) : (builtIn?.rates ?? null);
  return { rates, public: builtIn, set: rates !== null && rates !== builtIn?.rates };
}
