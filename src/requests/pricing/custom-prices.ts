import type { BuiltInPrice } from './built-in-prices.js';
import { MAX_MODEL_NAME, modelNames } from '../../llm/model-names.js';
import type { ModelPrice } from './model-price.entity.js';
import { payTokens, type Rates } from './rates.js';

const MAX_KNOWN = 5_000;

/** The prices a workspace has set. */
export class CustomPrices {
  private readonly byName: Map<string, Rates>;
  /** Cache by the names in calls. */
  private readonly found = new Map<string, string | null>();

  constructor(prices: ModelPrice[]) {
    this.byName = new Map(prices.map((price) => [keyOf(price.provider, price.model), toRates(price)]));
  }

  /**
   * Merges the prices of the workspace over the public one. Without a public price, a rate of the cache alone is no
   * price.
   */
  over(builtIn: BuiltInPrice | null, provider: string, model: string): Rates | null {
    const custom = this.find(provider, model);
    if (!custom) return builtIn?.rates ?? null;
    const rates = { ...builtIn?.rates, ...custom };
    return payTokens(rates) ? rates : null;
  }

  /** Whether calls of a model are priced by the price that was set under these names. */
  counts(set: { provider: string; model: string }, provider: string, model: string): boolean {
    return this.findName(provider, model) === keyOf(set.provider, set.model);
  }

  private find(provider: string, model: string): Rates | null {
    const name = this.findName(provider, model);
    return name === null ? null : this.byName.get(name)!;
  }

  private findName(provider: string, model: string): string | null {
    if (model.length > MAX_MODEL_NAME) return null;
    const key = keyOf(provider, model);
    const found = this.found.get(key);
    if (found !== undefined) return found;
    if (this.found.size >= MAX_KNOWN) this.found.clear();
    const names = modelNames(model).map((name) => keyOf(provider.trim().toLowerCase(), name));
    const name = names.find((each) => this.byName.has(each)) ?? null;
    this.found.set(key, name);
    return name;
  }
}

const keyOf = (provider: string, model: string): string => `${provider}\0${model}`;

/** Omits unset rates: a rate that is present and undefined would hide the built-in one. */
function toRates({ input, output, cachedInput, cacheWrite }: ModelPrice): Rates {
  return {
    ...(input !== null && { input_mtok: input }),
    ...(output !== null && { output_mtok: output }),
    ...(cachedInput !== null && { cache_read_mtok: cachedInput }),
    ...(cacheWrite !== null && { cache_write_mtok: cacheWrite }),
  };
}
