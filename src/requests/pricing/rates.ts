import type { ModelPrice } from '@pydantic/genai-prices';
import type { TokenCounts } from '../../llm/shared/token-usage.js';
import type { TokenUsage } from '../../llm/shared/token-usage.js';

/** Rates in US dollars, by the names of the price library. Names with `_mtok` are per million tokens. */
export type Rates = ModelPrice;

/** Price of tokens that are cached for an hour, as a multiple of the price of input. */
const HOUR_OF_CACHE = 2;

/**
 * False for models that are not priced by input or output tokens: the cost of such a call cannot be computed from its
 * tokens.
 */
export function payTokens(rates: Rates): boolean {
  return rates.input_mtok !== undefined || rates.output_mtok !== undefined;
}

/** All tokens of the input, including cached ones. */
export function inputOf({ input, cached, cacheWrite, cacheExclusive }: TokenUsage): number {
  return (input ?? 0) + (cacheExclusive ? (cached ?? 0) + (cacheWrite ?? 0) : 0);
}

/**
 * The cost of a call in US dollars; null when a required rate is missing. `factor` is the multiple that the service
 * tier charges for tokens. Cached and cache-written tokens are charged once, at their own rates if the model has these.
 * Reasoning tokens are charged as part of the output, unless the model has a rate for them.
 */
export function costOf(usage: TokenUsage, rates: Rates, factor = 1): number | null {
  const input = usage.input ?? 0;
  const cached = usage.cached ?? 0;
  const written = usage.cacheWrite ?? 0;
  const all = inputOf(usage);
  const uncached = usage.cacheExclusive ? input : Math.max(0, input - cached - written);
  const rate = (name: string): number | undefined => rateFor(rates[name], all);
  const inputRate = rate('input_mtok') ?? 0;
  // Most calls have no cached tokens, and looking rates up is most of the work.
  const dollars =
    uncached * inputRate +
    (cached && cached * (rate('cache_read_mtok') ?? inputRate)) +
    (written && written * (rate('cache_write_mtok') ?? inputRate)) +
    hourSurcharge(usage, inputRate, rate) +
    mediaSurcharge(usage, rate) +
    outputCost(usage, rate);
  const beside = billedApart(usage, rate);
  return beside === null ? null : (factor * dollars) / 1e6 + beside;
}

/** The cost per request and per search. Service tiers do not change it. */
function billedApart({ webSearches = 0 }: TokenUsage, rate: RateOf): number | null {
  const searchRate = webSearches === 0 ? 0 : rate('web_searches_kcount');
  return searchRate === undefined ? null : ((rate('requests_kcount') ?? 0) + webSearches * searchRate) / 1e3;
}

type RateOf = (name: string) => number | undefined;

/** The extra cost of tokens that are cached for an hour instead of five minutes. */
function hourSurcharge({ cacheWrite, cacheWriteHour }: TokenUsage, inputRate: number, rate: RateOf): number {
  if (!cacheWriteHour) return 0;
  const shortRate = rate('cache_write_mtok');
  if (shortRate === undefined) return 0;
  const hourRate = rate('cache_write_1h_mtok') ?? HOUR_OF_CACHE * inputRate;
  return Math.min(cacheWriteHour, cacheWrite ?? 0) * (hourRate - shortRate);
}

/** The extra cost of audio and images over the same number of text tokens. */
function mediaSurcharge(usage: TokenUsage, rate: RateOf): number {
  if (!usage.media) return 0;
  const { audio, image } = usage.media;
  return surchargeOf('audio', within(audio, usage), rate) + surchargeOf('image', within(image, usage), rate);
}

function surchargeOf(kind: 'audio' | 'image', { input, cached, output }: TokenCounts, rate: RateOf): number {
  const inputRate = rate('input_mtok') ?? 0;
  const cachedRate = rate('cache_read_mtok') ?? inputRate;
  const outputRate = rate('output_mtok') ?? 0;
  return (
    (input - cached) * ((rate(`input_${kind}_mtok`) ?? inputRate) - inputRate) +
    cached * ((rate(`cache_${kind}_read_mtok`) ?? cachedRate) - cachedRate) +
    output * ((rate(`output_${kind}_mtok`) ?? outputRate) - outputRate)
  );
}

/** Parts are never larger than the whole. */
function within(part: TokenCounts, whole: TokenUsage): TokenCounts {
  const input = Math.min(part.input, whole.input ?? 0);
  return {
    input,
    cached: Math.min(part.cached, input, whole.cached ?? 0),
    output: Math.min(part.output, whole.output ?? 0),
  };
}

/** When there are more reasoning tokens than output tokens, the output was reported without them. */
function outputCost({ output, thinking }: TokenUsage, rate: RateOf): number {
  const all = output ?? 0;
  const outputRate = rate('output_mtok') ?? 0;
  if (!thinking) return all * outputRate;
  const reasoningRate = rate('output_reasoning_mtok') ?? outputRate;
  if (thinking > all) return all * outputRate + thinking * reasoningRate;
  return all * outputRate + thinking * (reasoningRate - outputRate);
}

/** Some models charge a higher rate for all tokens of the call when the input is longer than a threshold. */
function rateFor(price: Rates[string], inputTokens: number): number | undefined {
  if (typeof price !== 'object') return price;
  return price.tiers.findLast((tier) => inputTokens > borderOf(tier.start))?.price ?? price.base;
}

/** The table has 271,999 for some models of OpenAI and 272,000 for others. The vendor charges more above 272,000. */
const borderOf = (start: number): number => (start === 271_999 ? 272_000 : start);
