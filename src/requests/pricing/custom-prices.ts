import type { BuiltInPrice } from './built-in-prices.js';
import { MAX_MODEL_NAME, modelNames } from '../../llm/model-names.js';
import type { ModelPrice } from './model-price.entity.js';
import { payTokens, type Rates } from './rates.js';

const MAX_KNOWN = 5_000;

/** The prices a workspace has set. */
export class CustomPrices {
  private readonly byName: Map<string, Rates>;
  /** By what calls said, whatever that looks like. */
  private readonly found = new Map<string, Rates | null>();

  constructor(prices: ModelPrice[]) {
    this.byName = new Map(prices.map((price) => [keyOf(price.provider, price.model), toRates(price)]));
  }

  /** Each rate that is set counts instead of the public one; where no public price is known, the cache alone is no price. */
  over(builtIn: BuiltInPrice | null, provider: string, model: string): Rates | null {
    const custom = this.find(provider, model);
    if (!custom) return builtIn?.rates ?? null;
    const rates = { ...builtIn?.rates, ...custom };
    return payTokens(rates) ? rates : null;
  }

  private find(provider: string, model: string): Rates | null {
    if (model.length > MAX_MODEL_NAME) return null;
    const key = keyOf(provider, model);
    const found = this.found.get(key);
    if (found !== undefined) return found;
    if (this.found.size >= MAX_KNOWN) this.found.clear();
    const names = modelNames(model).map((name) => keyOf(provider.trim().toLowerCase(), name));
    const name = names.find((each) => this.byName.has(each));
    const rates = name === undefined ? null : this.byName.get(name)!;
    this.found.set(key, rates);
    return rates;
  }
}

const keyOf = (provider: string, model: string): string => `${provider}\0${model}`;

/** What is not said is absent: a rate that is there and undefined would hide the built-in one. */
function toRates({ input, output, cachedInput, cacheWrite }: ModelPrice): Rates {
  return {
    ...(input !== null && { input_mtok: input }),
    ...(output !== null && { output_mtok: output }),
    ...(cachedInput !== null && { cache_read_mtok: cachedInput }),
    ...(cacheWrite !== null && { cache_write_mtok: cacheWrite }),
  };
}
