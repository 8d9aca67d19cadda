import type { JsonValue } from '../platform/json.js';
import { type MediaTokens, placeParts, type TokenUsage, withServiceTier } from '../llm/shared/token-usage.js';
import { type SpanAttributes, toNumber } from './attributes.js';
import { valueAt } from './sources.js';
import { sourcesOf } from './usage-names.js';
import { type Count, declaredWords, derivedFromWords, keyOf, type Source } from './words.js';

/** Beyond any real call, and beyond a PostgreSQL integer. */
const MAX_TOKENS = 2 ** 31 - 1;

const NO_COUNTS = { input: 0, cached: 0, output: 0 };

const SOURCES: Readonly<Record<Count, () => readonly Source[]>> = {
  input: sourcesFor('input'),
  output: sourcesFor('output'),
  total: sourcesFor('total'),
  cached: sourcesFor('cached'),
  cacheWrite: sourcesFor('cacheWrite'),
  cacheWriteHour: sourcesFor('cacheWriteHour'),
  thinking: sourcesFor('thinking'),
  audioInput: sourcesFor('audioInput'),
  audioCached: sourcesFor('audioCached'),
  audioOutput: sourcesFor('audioOutput'),
};

const keysOf = (source: Source): string[] => [keyOf(source)];

/** The token counts that a span reports. Its total shows which counts include others. */
export function readUsage(attributes: SpanAttributes): TokenUsage {
  const usage: TokenUsage = {
    input: attributes.inTurn(inputIn),
    output: readTokens(attributes, 'output'),
    cached: readTokens(attributes, 'cached'),
    cacheWrite: readTokens(attributes, 'cacheWrite'),
    thinking: readTokens(attributes, 'thinking'),
    media: readMedia(attributes),
    cacheExclusive: false,
  };
  const hour = readTokens(attributes, 'cacheWriteHour');
  const placed = placeParts(
    hour === null ? usage : { ...usage, cacheWriteHour: hour },
    readTokens(attributes, 'total'),
  );
  return withServiceTier(placed, attributes.text(...ANSWERED_TIER), attributes.text(...ASKED_TIER));
}

const ANSWERED_TIER = ['openai.response.service_tier', 'gen_ai.openai.response.service_tier'];
const ASKED_TIER = ['openai.request.service_tier', 'gen_ai.openai.request.service_tier'];

/** Audio tokens. No convention counts images separately. */
function readMedia(attributes: SpanAttributes): MediaTokens | undefined {
  const input = readTokens(attributes, 'audioInput') ?? 0;
  const output = readTokens(attributes, 'audioOutput') ?? 0;
  if (input === 0 && output === 0) return undefined;
  const cached = readTokens(attributes, 'audioCached') ?? 0;
  return { audio: { input, cached, output }, image: NO_COUNTS };
}

/** Whether any token count was reported. */
export function reportsUsage(attributes: SpanAttributes): boolean {
  return (['input', 'output', 'total'] as const).some((count) => tokensIn(attributes, count) !== null);
}

function sourcesFor(count: Count): () => readonly Source[] {
  return derivedFromWords(() =>
    declaredWords().flatMap(({ words }) => (words.usage ? sourcesOf(count, words.usage) : [])),
  );
}

function inputIn(attributes: SpanAttributes): number | null {
  return tokensIn(attributes, 'input') ?? difference(tokensIn(attributes, 'total'), tokensIn(attributes, 'output'));
}

function readTokens(attributes: SpanAttributes, count: Count): number | null {
  return attributes.inTurn((given) => tokensIn(given, count));
}

function tokensIn(attributes: SpanAttributes, count: Count): number | null {
  for (const source of attributes.among(SOURCES[count](), keysOf)) {
    const tokens = toTokens(valueAt(attributes, source));
    if (tokens !== null) return tokens;
  }
  return null;
}

function toTokens(value: JsonValue | undefined): number | null {
  const number = toNumber(value);
  return number !== null && number >= 0 && number <= MAX_TOKENS ? Math.round(number) : null;
}

function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null ? null : Math.max(0, total - part);
}
