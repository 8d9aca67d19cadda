import type { ModelInfo } from '@pydantic/genai-prices';
import { calcPrice } from '@pydantic/genai-prices';
import { MAX_MODEL_NAME, modelNames } from '../../llm/model-names.js';
import { payTokens, type Rates } from './rates.js';

/** What a model costs by the built-in table of public prices. */
export interface BuiltInPrice {
  rates: Rates;
  /** Who sells the model and what it is called, in the words of the table. */
  vendor: string;
  model: string;
}

interface Named {
  providerId: string;
  model: ModelInfo;
}

interface KnownModel extends Named {
  /** The price in the minute that was last asked about. */
  minute: number;
  price: BuiltInPrice | null;
}

/** Looking a model up takes some 100 µs, a call with a known model none of it. */
const known = new Map<string, KnownModel | null>();
const MAX_KNOWN = 5_000;

/** For when the table has changed. */
export const forgetKnownModels = (): void => known.clear();

const MINUTE_MS = 60_000;

/** Names of the price table where it does not know ours. */
const PRICE_TABLE_NAMES = new Map([
  ['openai.azure', 'azure'],
  ['amazon.bedrock', 'aws'],
  ['anthropic.bedrock', 'aws'],
  ['vertexai', 'google'],
]);

/** What the table of prices calls a provider. */
export const tableNameOf = (provider: string): string => PRICE_TABLE_NAMES.get(provider) ?? provider;

/** What the server computes by itself costs nothing. */
const OWN_PROVIDER = 'tracesheet';
const FREE: BuiltInPrice = { rates: { input_mtok: 0, output_mtok: 0 }, vendor: OWN_PROVIDER, model: '' };

/** Models that only their vendor sells: they cost the same through any gateway, unlike open models. */
const PROPRIETARY = /^(?:gpt-(?!oss)|chatgpt-|o\d|text-embedding-|claude-|gemini-)/;

/** Perplexity sells models under these names by another API, at other prices than those of the same names without the vendor. */
const OF_ANOTHER_API = /^perplexity\//;

/** The price of a model; null when it is not in the table. `at` is when the call started: prices change. */
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
 * The model by one of its names. A name that only begins like a known one is another model: it may cost ten times as much or a
 * tenth.
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
