import type { ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import type { TokenUsage } from './llm-call.js';

export interface PricedCall {
  /** Canonical provider name, as in {@link LlmCall}. */
  provider: string;
  model: string;
  usage: TokenUsage;
}

/** US dollars per million tokens, valid for one minute. */
interface Rates {
  minute: number;
  price: ModelPrice | null;
}

interface KnownModel {
  providerId: string;
  model: ModelInfo;
  rates: Rates;
}

/** Looking a model up takes some 100 µs, a call with a known model none of it. */
const known = new Map<string, KnownModel | null>();
const MAX_KNOWN = 5_000;
const MAX_MODEL_NAME = 200;
const MINUTE_MS = 60_000;

/** Names of the price table where it does not know ours. */
const PRICE_TABLE_NAMES = new Map([
  ['openai.azure', 'azure'],
  ['amazon.bedrock', 'aws'],
  ['anthropic.bedrock', 'aws'],
  ['vertexai', 'google'],
]);

/** Models that only their vendor sells: they cost the same through any gateway, unlike open models. */
const PROPRIETARY = /^(?:gpt-(?!oss)|chatgpt-|o\d|text-embedding-|claude-|gemini-)/;

const VENDOR_PATH = /^(?:[\w.-]+\/)+/;
const VENDOR_DOT = /^(?:[a-z-]+\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|openai)\./;

/** Dates, `-latest`, `-preview`, Bedrock's versions. */
const SUFFIX =
  /(?:-latest|-preview|-v\d+(?::\d+)?|@\d{8}|@latest|@default|-20\d{2}-?\d{2}-?\d{2}|-\d{2}-\d{2}|-\d{4})$/;

/** What may follow a known name: the next word, but not the next digit of a version. */
const NEXT_WORD = /^[-:@_](?!\d{1,2}(?:\D|$))/;

/**
 * The price of a call in US dollars from the built-in table of public prices; null when the model is not in it, or no
 * tokens were reported. Cached and cache-written tokens are charged at their own rates, where the model has such, and
 * reasoning tokens as the output they are part of. `at` is when the call started: prices change.
 */
export function priceCall({ provider, model, usage }: PricedCall, at: Date): number | null {
  if (usage.input === null && usage.output === null) return null;
  const entry = lookUp(provider, model);
  const price = entry && ratesAt(entry, at);
  if (!price || (price.input_mtok === undefined && price.output_mtok === undefined)) return null;
  return total(price, usage);
}

function total(price: ModelPrice, usage: TokenUsage): number {
  const input = usage.input ?? 0;
  const cached = usage.cached ?? 0;
  const written = usage.cacheWrite ?? 0;
  const all = usage.cacheExclusive ? input + cached + written : input;
  const uncached = usage.cacheExclusive ? input : Math.max(0, input - cached - written);
  const rate = (name: string): number | undefined => rateFor(price[name], all);
  const inputRate = rate('input_mtok') ?? 0;
  const dollars =
    uncached * inputRate +
    cached * (rate('cache_read_mtok') ?? inputRate) +
    written * (rate('cache_write_mtok') ?? inputRate) +
    (usage.output ?? 0) * (rate('output_mtok') ?? 0);
  return dollars / 1e6;
}

/** Some models cost more, for all tokens of the call, once the input is longer than a threshold. */
function rateFor(price: ModelPrice[string], inputTokens: number): number | undefined {
  if (typeof price !== 'object') return price;
  return price.tiers.findLast((tier) => inputTokens > tier.start)?.price ?? price.base;
}

/** Prices depend on the date and, for a few models, on the time of day. */
function ratesAt(entry: KnownModel, at: Date): ModelPrice | null {
  if (!Array.isArray(entry.model.prices)) return entry.model.prices;
  const minute = Math.floor(at.getTime() / MINUTE_MS);
  if (!Object.is(entry.rates.minute, minute)) entry.rates = { minute, price: conditionalPrice(entry, at) };
  return entry.rates.price;
}

function conditionalPrice({ providerId, model }: KnownModel, at: Date): ModelPrice | null {
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
  const key = `${provider}\n${model}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  if (model.length > MAX_MODEL_NAME) return null;
  if (known.size >= MAX_KNOWN) known.clear();
  const match = findModel(PRICE_TABLE_NAMES.get(provider) ?? provider, model.trim().toLowerCase());
  known.set(key, match);
  return match;
}

/** The model by its name as given, then by its name without vendor and version, then by the longest known beginning. */
function findModel(providerId: string, model: string): KnownModel | null {
  const names = candidates(model);
  for (const name of names) {
    const match = matchModel(name, providerId) ?? (PROPRIETARY.test(name) ? matchModel(name) : null);
    if (match) return match;
  }
  return longestBeginning(providerId, names[names.length - 1]) ?? matchModel(`${names[0]}-preview`, providerId);
}

function candidates(model: string): string[] {
  const names = [model];
  const add = (name: string): void => {
    if (name !== '' && !names.includes(name)) names.push(name);
  };
  add(model.replace(VENDOR_PATH, ''));
  add(names[names.length - 1].replace(VENDOR_DOT, ''));
  for (let name = names[names.length - 1]; SUFFIX.test(name); add(name)) name = name.replace(SUFFIX, '');
  return names;
}

function matchModel(model: string, providerId?: string): KnownModel | null {
  const match = calcPrice({}, model, { providerId });
  return match && knownModel(match.provider.id, match.model);
}

function knownModel(providerId: string, model: ModelInfo): KnownModel {
  return { providerId, model, rates: { minute: Number.NaN, price: null } };
}

function longestBeginning(providerId: string, name: string): KnownModel | null {
  const provider =
    findProvider({ providerId }) ?? (PROPRIETARY.test(name) ? findProvider({ modelId: name }) : undefined);
  const matches = (provider?.models ?? []).filter(
    ({ id }) => name.startsWith(id) && NEXT_WORD.test(name.slice(id.length)),
  );
  const longest = matches.sort((a, b) => b.id.length - a.id.length).at(0);
  return provider && longest ? knownModel(provider.id, longest) : null;
}
