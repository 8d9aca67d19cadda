import type { ModelInfo } from '@pydantic/genai-prices';
import { calcPrice } from '@pydantic/genai-prices';
import { MAX_MODEL_NAME, modelNames } from '../../llm/model-names.js';
import { payTokens, type Rates } from './rates.js';

/** The price of a model in the built-in table of public prices. */
export interface BuiltInPrice {
  rates: Rates;
  /** Names of the vendor and the model in the table. */
  vendor: string;
  model: string;
}

interface Named {
  providerId: string;
  model: ModelInfo;
}

interface KnownModel extends Named {
  /** The minute of the last lookup, for which the price is valid. */
  minute: number;
  price: BuiltInPrice | null;
}

/** Looking a model up takes some 100 µs; a known model skips it. */
const known = new Map<string, KnownModel | null>();
const MAX_KNOWN = 5_000;

/** Called when the table has changed. */
export const forgetKnownModels = (): void => known.clear();

const MINUTE_MS = 60_000;

/** Names of providers in the price table where they differ from ours. */
const PRICE_TABLE_NAMES = new Map([
  ['openai.azure', 'azure'],
  ['amazon.bedrock', 'aws'],
  ['anthropic.bedrock', 'aws'],
  ['vertexai', 'google'],
]);

/** The name of a provider in the price table. */
export const tableNameOf = (provider: string): string => PRICE_TABLE_NAMES.get(provider) ?? provider;

/** Calls that the server itself computes cost nothing. */
const OWN_PROVIDER = 'tracesheet';
const FREE: BuiltInPrice = { rates: { input_mtok: 0, output_mtok: 0 }, vendor: OWN_PROVIDER, model: '' };

/** Models that only their vendor sells: unlike open models, they cost the same through any gateway. */
const PROPRIETARY = /^(?:gpt-(?!oss)|chatgpt-|o\d|text-embedding-|claude-|gemini-)/;

/**
 * Perplexity sells models under these names in another API. Their prices differ from those of the names without the
 * vendor.
 */
const OF_ANOTHER_API = /^perplexity\//;

/** The price of a model; null when it is not in the table. `at` is the start of the call, because prices change. */
export function builtInPrice(provider: string, model: string, at: Date): BuiltInPrice | null {
  if (provider === OWN_PROVIDER) return FREE;
  const entry = lookUp(provider, model);
  if (!entry) return null;
  const minute = Math.floor(at.getTime() / MINUTE_MS);
  // Prices depend on the date and, for a few models, on the time of day.
  const isOutdated = Array.isArray(entry.model.prices) && !Object.is(entry.minute, minute);
  if (isOutdated) {
    entry.minute = minute;
    entry.price = priceWith(entry, conditionalRates(entry, at));
  }
  return entry.price;
}

/** The public price of a model today; null when it has none. */
export const publicPriceOf = (provider: string, model: string): BuiltInPrice | null =>
  builtInPrice(provider, model, new Date());

function priceWith({ providerId, model }: Named, rates: Rates | null): BuiltInPrice | null {
  return rates && payTokens(rates) ? { rates, vendor: providerId, model: model.id } : null;
}

function conditionalRates({ providerId, model }: KnownModel, at: Date): Rates | null {
  if (Number.isNaN(at.getTime())) return null;
  const provider = {
    id: providerId,
    name: providerId,
    api_pattern: '',
    models: [{ ...model, match: { equals: model.id } }],
  };
  return calcPrice({}, model.id, { provider, timestamp: at })?.model_price ?? null;
}

function lookUp(provider: string, model: string): KnownModel | null {
  const key = `${provider}\0${model}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (model.length > MAX_MODEL_NAME) return null;
  if (known.size >= MAX_KNOWN) known.clear();
  const match = findModel(tableNameOf(provider), modelNames(model));
  known.set(key, match);
  return match;
}

/**
 * Finds the model by one of its names. A name that only begins like a known one is another model, which may cost ten
 * times as much or a tenth.
 */
function findModel(providerId: string, names: [string, ...string[]]): KnownModel | null {
  if (providerId === 'perplexity' && OF_ANOTHER_API.test(names[0])) return null;
  for (const name of names) {
    const match = matchModel(name, providerId) ?? (PROPRIETARY.test(name) ? matchModel(name) : null);
    if (match) return match;
  }
  return null;
}

function matchModel(model: string, providerId?: string): KnownModel | null {
  const match = calcPrice({}, model, { providerId });
  return match && knownModel({ providerId: match.provider.id, model: match.model });
}

function knownModel(named: Named): KnownModel {
  const price = Array.isArray(named.model.prices) ? null : priceWith(named, named.model.prices);
  return { ...named, minute: Number.NaN, price };
}
