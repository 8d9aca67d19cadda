import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices';
import { calcPrice, findProvider } from '@pydantic/genai-prices';
import { MAX_MODEL_NAME, modelNames } from '../../llm/model-names.js';
import { payTokens, type Rates } from './rates.js';

/** What a model costs by the built-in table of public prices. */
export interface BuiltInPrice {
  rates: Rates;
  /** The table knows another model, with whose name the name of this one begins. */
  guessed: boolean;
}

interface KnownModel {
  providerId: string;
  model: ModelInfo;
  guessed: boolean;
  /** The price in the minute that was last asked about. */
  minute: number;
  price: BuiltInPrice | null;
}

/** Looking a model up takes some 100 µs, a call with a known model none of it. */
const known = new Map<string, KnownModel | null>();
const MAX_KNOWN = 5_000;
const MINUTE_MS = 60_000;

/** Names of the price table where it does not know ours. */
const PRICE_TABLE_NAMES = new Map([
  ['openai.azure', 'azure'],
  ['amazon.bedrock', 'aws'],
  ['anthropic.bedrock', 'aws'],
  ['vertexai', 'google'],
]);

/** What the server computes by itself costs nothing. */
const OWN_PROVIDER = 'tracesheet';
const FREE: BuiltInPrice = { rates: { input_mtok: 0, output_mtok: 0 }, guessed: false };

/** Models that only their vendor sells: they cost the same through any gateway, unlike open models. */
const PROPRIETARY = /^(?:gpt-(?!oss)|chatgpt-|o\d|text-embedding-|claude-|gemini-)/;

/** What may follow a known name: the next word, but not the next digit of a version. */
const NEXT_WORD = /^[-:@_](?!\d{1,2}(?:\D|$))/;

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

function priceWith({ guessed }: { guessed: boolean }, rates: Rates | null): BuiltInPrice | null {
  return rates && payTokens(rates) ? { rates, guessed } : null;
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
  const match = findModel(PRICE_TABLE_NAMES.get(provider) ?? provider, modelNames(model));
  known.set(key, match);
  return match;
}

/** The model by one of its names, or as it was called in its preview, or by the longest known beginning of the shortest. */
function findModel(providerId: string, names: [string, ...string[]]): KnownModel | null {
  const shortest = names.at(-1)!;
  for (const name of [...names, `${shortest}-preview`]) {
    const match = matchModel(name, providerId) ?? (PROPRIETARY.test(name) ? matchModel(name) : null);
    if (match) return match;
  }
  return longestBeginning(providerId, shortest);
}

function matchModel(model: string, providerId?: string): KnownModel | null {
  const match = calcPrice({}, model, { providerId });
  return match && knownModel(match.provider.id, match.model, false);
}

function knownModel(providerId: string, model: ModelInfo, guessed: boolean): KnownModel {
  const price = Array.isArray(model.prices) ? null : priceWith({ guessed }, model.prices);
  return { providerId, model, guessed, minute: Number.NaN, price };
}

function longestBeginning(providerId: string, name: string): KnownModel | null {
  const provider =
    findProvider({ providerId }) ?? (PROPRIETARY.test(name) ? findProvider({ modelId: name }) : undefined);
  const named = (provider?.models ?? []).flatMap((model) => namesOf(model).map((known) => ({ model, known })));
  const matches = named.filter(({ known }) => name.startsWith(known) && NEXT_WORD.test(name.slice(known.length)));
  const longest = matches.sort((a, b) => b.known.length - a.known.length).at(0);
  return provider && longest ? knownModel(provider.id, longest.model, true) : null;
}

function namesOf({ id, match }: ModelInfo): string[] {
  const aliasesIn = (logic: MatchLogic): string[] => {
    if ('equals' in logic) return [logic.equals];
    return 'or' in logic ? logic.or.flatMap(aliasesIn) : [];
  };
  return [id, ...aliasesIn(match)];
}
