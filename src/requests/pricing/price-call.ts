import { withoutNoise } from '../../platform/numbers.js';
import type { TokenUsage } from '../../llm/shared/token-usage.js';
import { type BuiltInPrice, builtInPrice } from './built-in-prices.js';
import type { CustomPrices } from './custom-prices.js';
import { costOf, inputOf, type Rates } from './rates.js';
import { withRequestFee } from './request-fees.js';
import { tierFactor } from './service-tiers.js';

export interface PricedCall {
  /** Canonical provider name, as in {@link LlmCall}. */
  provider: string;
  model: string;
  /** The model that answered, see {@link LlmCall}. */
  answeredBy?: string | null;
  usage: TokenUsage;
}

interface FoundRates {
  rates: Rates | null;
  /** The public price, independent of the workspace's prices. */
  public: BuiltInPrice | null;
  /** True when the workspace has set some of the rates. */
  set: boolean;
}

/** On Azure the requested model is the name of a deployment, which can be any text. */
const AZURE = 'openai.azure';

/** These models search the web, which is billed separately, and do not report how often. */
const SEARCHES = /-search-(?:preview|api)\b/;

/**
 * The cost in US dollars, by the public prices at the start of the call and those of its workspace. Null when no price
 * is known, no tokens were reported, or an unknown amount is billed besides the tokens.
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

/** Rates of the requested model, or of the model behind a deployment. */
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
