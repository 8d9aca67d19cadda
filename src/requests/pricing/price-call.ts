import type { TokenUsage } from '../../llm/token-usage.js';
import { builtInPrice } from './built-in-prices.js';
import type { CustomPrices } from './custom-prices.js';
import { costOf, type Rates } from './rates.js';

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
  /** The workspace has set them. */
  set: boolean;
  /** They are those of another model, with whose name the name of this one begins. */
  guessed: boolean;
}

/** There the model that is asked for is the name of a deployment, which may be anything. */
const AZURE = 'openai.azure';

/**
 * US dollars, by the public prices at the time the call started and those that its workspace has set; null when no price is
 * known, or no tokens were reported.
 */
export function priceCall(call: PricedCall, at: Date, custom?: CustomPrices): number | null {
  const { usage } = call;
  if (usage.input === null && usage.output === null) return null;
  const rates = ratesOf(call, at, custom);
  return rates ? costOf(usage, rates) : null;
}

/** Those of the model that was asked for, or of the one that a deployment turned out to be. */
function ratesOf({ provider, model, answeredBy }: PricedCall, at: Date, custom?: CustomPrices): Rates | null {
  const asked = findRates(provider, model, at, custom);
  if (provider !== AZURE || !answeredBy || asked.set) return asked.rates;
  const answered = findRates(provider, answeredBy, at, custom);
  return answered.rates && !answered.guessed ? answered.rates : (asked.rates ?? answered.rates);
}

function findRates(provider: string, model: string, at: Date, custom?: CustomPrices): FoundRates {
  const builtIn = builtInPrice(provider, model, at);
  const rates = custom ? custom.over(builtIn, provider, model) : (builtIn?.rates ?? null);
  const set = rates !== null && rates !== builtIn?.rates;
  return { rates, set, guessed: !set && builtIn?.guessed === true };
}
