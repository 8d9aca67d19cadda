import { describe, expect, it } from 'vitest';
import type { TokenUsage } from '../../llm/shared/token-usage.js';
import { CustomPrices } from './custom-prices.js';
import type { ModelPrice } from './model-price.entity.js';
import { priceCall } from './price-call.js';

const AT = new Date('2026-02-01T12:00:00Z');
const MILLION = 1_000_000;

function usage(given: Partial<TokenUsage>): TokenUsage {
  return { input: null, output: null, cached: null, cacheWrite: null, thinking: null, cacheExclusive: false, ...given };
}

function price(provider: string, model: string, given: Partial<TokenUsage>, at = AT): number | null {
  return priceCall({ provider, model, usage: usage(given) }, at);
}

/** Dollars per million tokens. Small calls are scaled up, because some models cost more above 200,000 tokens. */
function perMillion(provider: string, model: string, kind: 'input' | 'output'): number | null {
  const dollars = price(provider, model, { input: 0, output: 0, [kind]: 1000 });
  return dollars === null ? null : dollars * 1000;
}

describe('priceCall', () => {
  it.each([
    ['a date', 'openai', 'gpt-4o-2024-08-06', 2.5],
    ['a short date', 'openai', 'gpt-4-0613', 30],
    ['a vendor prefix', 'openai', 'openai/gpt-4o', 2.5],
    ['a vendor prefix below an unknown gateway', 'my-gateway', 'openai/gpt-4o', 2.5],
    ['a resource path', 'vertexai', 'publishers/google/models/gemini-2.5-pro', 1.25],
    ['models/', 'google', 'models/gemini-2.5-pro', 1.25],
    ['-latest', 'anthropic', 'claude-3-5-haiku-latest', 0.8],
    ['-preview with a date', 'google', 'gemini-2.5-pro-preview-05-06', 1.25],
    ['-preview, sold at another price', 'google', 'gemini-2.5-flash-preview-05-20', 0.15],
    ['an @date', 'vertexai', 'claude-sonnet-4@20250514', 3],
    ['a Bedrock version', 'amazon.bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 3],
    ['a Bedrock name without Bedrock', 'unknown', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 3],
    ['capital letters and blanks', 'openai', ' GPT-4o ', 2.5],
    ['-latest behind a version', 'anthropic', 'anthropic/claude-3-7-sonnet-latest', 3],
    ['a vendor and a date', 'openrouter', 'anthropic/claude-3-opus-20240229', 15],
    ['a date of an older Bedrock model', 'amazon.bedrock', 'anthropic.claude-3-haiku-20240307-v1:0', 0.25],
    ['@latest', 'vertexai', 'claude-opus-4-1@latest', 15],
    ['dots or hyphens', 'anthropic', 'claude-opus-4.6-20260205', 5],
    ['no provider', 'unknown', 'gpt-4o', 2.5],
    ['Azure', 'openai.azure', 'gpt-4o', 2.5],
  ])('finds a model by a name with %s', (_, provider, model, input) => {
    expect(perMillion(provider, model, 'input')).toBeCloseTo(input, 9);
  });

  it.each([
    ['a model nobody knows', 'openai', 'our-own-model'],
    ['a newer model', 'openai', 'gpt-99'],
    ['a version of a known model that is not known', 'openai', 'o3-2'],
    ['a model whose name begins like a known one', 'openai', 'davinci-002'],
    ['a model with an ending of its own', 'openai', 'gpt-4o-mini-for-our-team'],
    ['a preview of a known model', 'openai', 'gpt-4.1-preview'],
    ['a model known by its preview', 'google', 'gemini-3-flash'],
    ['a model known by its preview, with a date', 'vertexai', 'gemini-3-pro@20260101'],
    ['a model known by its preview, at a gateway', 'openrouter', 'google/gemini-3-pro'],
    ['an older model that a short date names', 'mistral', 'mistral-large-2402'],
    ['a variant of a known model', 'anthropic', 'claude-sonnet-4:thinking'],
    ['a model of the same name in another API', 'perplexity', 'perplexity/sonar'],
    ['a model that searches the web', 'openai', 'gpt-4o-search-preview'],
    ['an open model run by somebody', 'ollama', 'mistral-nemo'],
    ['an open model of a vendor of closed ones', 'ollama', 'gpt-oss-120b'],
    ['no model', 'unknown', 'unknown'],
    ['an absurdly long name', 'openai', `gpt-4o-${'x'.repeat(1000)}`],
    ['a provider named like a built-in property', 'constructor', 'toString'],
  ])('leaves %s unpriced', (_, provider, model) => {
    expect(price(provider, model, { input: 1, output: 1 })).toBeNull();
  });

  it('charges nothing for calls that the server itself computes', () => {
    expect(price('tracesheet', 'echo', { input: 1000, output: 1000 })).toBe(0);
  });

  it('leaves a call without token counts unpriced', () => {
    expect(price('openai', 'gpt-4o', {})).toBeNull();
    expect(price('openai', 'gpt-4o', { input: 0, output: 0 })).toBe(0);
  });

  it('charges cached tokens once, at the cached rate, when the input includes them', () => {
    expect(price('openai', 'gpt-4o', { input: MILLION, cached: 400_000 })).toBeCloseTo(0.6 * 2.5 + 0.4 * 1.25, 9);
  });

  it('adds cached and cache-written tokens to an input that leaves them out', () => {
    const given = { input: 1000, cached: 40_000, cacheWrite: 10_000, output: 2000, cacheExclusive: true };
    const expected = (1000 * 3 + 40_000 * 0.3 + 10_000 * 3.75 + 2000 * 15) / MILLION;
    expect(price('anthropic', 'claude-sonnet-4-5', given)).toBeCloseTo(expected, 9);
  });

  it.each([
    ['anthropic', 'claude-sonnet-4-5', 3, 3.75, 6],
    ['anthropic', 'claude-opus-4-5', 5, 6.25, 10],
    ['anthropic', 'claude-haiku-4-5', 1, 1.25, 2],
    // The table has no rate for an hour: it is twice the input.
    ['anthropic.bedrock', 'us.anthropic.claude-sonnet-4-20250514-v1:0', 3, 3.75, 6],
  ])(
    'charges what %s/%s writes to the cache for an hour at the rate of the hour',
    (provider, model, input, write, hour) => {
      const given = { input: 1000, cacheWrite: 10_000, cacheWriteHour: 4000, output: 0, cacheExclusive: true };
      const expected = (1000 * input + 6000 * write + 4000 * hour) / MILLION;
      expect(price(provider, model, given)).toBeCloseTo(expected, 9);
    },
  );

  it('never charges more tokens for an hour than were written to the cache', () => {
    const given = { input: 0, cacheWrite: 1000, cacheWriteHour: 5000, cacheExclusive: true };
    expect(price('anthropic', 'claude-sonnet-4-5', given)).toBeCloseTo(0.006, 9);
  });

  it('charges reasoning at its own rate where the model has one', () => {
    const rates = (given: Partial<TokenUsage>) => price('perplexity', 'sonar-deep-research', given);
    // 2 in, 8 out, 3 for reasoning.
    expect(rates({ input: 1000, output: 1000, thinking: 600 })).toBeCloseTo(0.002 + 0.4 * 0.008 + 0.6 * 0.003, 9);
    expect(rates({ input: 1000, output: 100, thinking: 600 })).toBeCloseTo(0.002 + 0.1 * 0.008 + 0.6 * 0.003, 9);
  });

  it('charges sound and pictures at their own rates, where the model has such, and cached sound once', () => {
    const none = { input: 0, cached: 0, output: 0 };
    const audio = { input: 800, cached: 0, output: 400 };
    const spoken = { input: 1000, output: 500, media: { audio, image: none } };
    const expected = (200 * 2.5 + 800 * 32 + 100 * 10 + 400 * 64) / MILLION;
    expect(price('openai', 'gpt-audio', spoken)).toBeCloseTo(expected, 9);
    expect(price('openai', 'gpt-4o', spoken)).toBeCloseTo((1000 * 2.5 + 500 * 10) / MILLION, 9);
    const heard = { input: 1000, cached: 600, media: { audio: { input: 1000, cached: 600, output: 0 }, image: none } };
    expect(price('google', 'gemini-2.5-flash', heard)).toBeCloseTo((400 * 1 + 600 * 0.1) / MILLION, 9);
    const drawn = { input: 10, output: 1290, media: { audio: none, image: { ...none, output: 1290 } } };
    expect(price('google', 'gemini-2.5-flash-image', drawn)).toBeCloseTo((10 * 0.3 + 1290 * 30) / MILLION, 9);
  });

  it('never charges for more sound than there are tokens', () => {
    const audio = { input: 9000, cached: 9000, output: 9000 };
    const spoken = { input: 1000, output: 500, media: { audio, image: { input: 0, cached: 0, output: 0 } } };
    expect(price('openai', 'gpt-audio', spoken)).toBeCloseTo((1000 * 32 + 500 * 64) / MILLION, 9);
  });

  it('adds what each request costs', () => {
    const requested = (model: string, searchContext?: string) =>
      price('perplexity', model, { input: 1000, output: 1000, searchContext });
    const fees = [undefined, 'low', 'medium', 'high'].map((size) => requested('sonar', size)! - 0.002);
    expect(fees.map((fee) => Math.round(fee * 1e6) / 1e6)).toEqual([0.005, 0.005, 0.008, 0.012]);
    expect(requested('sonar-pro', 'high')).toBeCloseTo(0.003 + 0.015 + 0.014, 9);
    expect(requested('sonar-reasoning-pro')).toBeCloseTo(0.002 + 0.008 + 0.006, 9);
    expect(requested('sonar', 'huge')).toBeNull();
  });

  it('charges cached tokens at the normal rate where the model has no cached rate', () => {
    expect(price('openai', 'gpt-4', { input: 1000, cached: 1000 })).toBeCloseTo(0.03, 9);
  });

  it('does not charge reasoning tokens on top of the output they are part of', () => {
    expect(price('openai', 'o3', { output: 1000, thinking: 900 })).toBeCloseTo(0.008, 9);
  });

  it('charges reasoning in addition when the output was reported without it', () => {
    expect(price('openai', 'o3', { output: 100, thinking: 900 })).toBeCloseTo(0.008, 9);
  });

  it('charges everything at the higher rate above the threshold of a tiered model, cached tokens counted in', () => {
    expect(price('google', 'gemini-2.5-pro', { input: 300_000, output: 1000 })).toBeCloseTo(0.3 * 2.5 + 0.015, 9);
    const exclusive = { input: 1000, cached: 250_000, cacheExclusive: true };
    expect(price('anthropic', 'claude-sonnet-4-5', exclusive)).toBeCloseTo(0.006 + 0.25 * 0.6, 9);
  });

  it.each([
    ['openai', 'gpt-5', 'flex', 0.625],
    ['openai', 'gpt-5-2025-08-07', 'batch', 0.625],
    ['openai', 'gpt-5', 'priority', 2.5],
    ['openai', 'gpt-5-mini', 'priority', 0.45],
    ['openai', 'gpt-4o', 'priority', 4.25],
    ['openai', 'o1', 'priority', null],
    ['openai', 'gpt-5', 'scale', null],
    ['openai', 'gpt-5', 'priority unconfirmed', null],
    ['openai.azure', 'gpt-5', 'priority', null],
    ['anthropic', 'claude-haiku-4-5', 'batch', 0.5],
    ['anthropic', 'claude-haiku-4-5', 'us', 1.1],
    ['anthropic', 'claude-haiku-4-5', 'priority', null],
    ['anthropic', 'claude-haiku-4-5', 'batch us', null],
    ['google', 'gemini-2.5-flash', 'provisioned_throughput', null],
  ])('charges for %s/%s by the service tier %s: %d', (provider, model, serviceTier, dollars) => {
    const found = price(provider, model, { input: 100_000, serviceTier });
    if (dollars === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(dollars / 10, 9);
  });

  it('knows no price of priority for long contexts', () => {
    expect(price('openai', 'gpt-5.4', { input: 272_000, serviceTier: 'priority' })).toBeCloseTo(0.272 * 5, 9);
    expect(price('openai', 'gpt-5.4', { input: 272_001, serviceTier: 'priority' })).toBeNull();
  });

  it('adds searches of the web, at a full price in any tier', () => {
    const searched = { input: 1000, output: 100, webSearches: 3 };
    // To the last digit: doubles add these parts up to 0.034499999999999996.
    expect(price('anthropic', 'claude-sonnet-4-5', searched)).toBe(0.0345);
    expect(price('anthropic', 'claude-sonnet-4-5', { ...searched, serviceTier: 'batch' })).toBeCloseTo(0.03225, 9);
    expect(price('google', 'gemini-2.5-flash', searched)).toBeNull();
  });

  it('knows no price when something besides the tokens is billed', () => {
    expect(price('openai', 'gpt-5', { input: 1000, hasOtherCharges: true })).toBeNull();
  });

  it('uses the prices of the day of the call', () => {
    const input = { input: 1000 };
    expect(price('openai', 'o3', input, new Date('2025-05-01'))).toBeCloseTo(0.01, 9);
    expect(price('openai', 'o3', input, new Date('2025-07-01'))).toBeCloseTo(0.002, 9);
    expect(price('openai', 'o3', input, new Date('2025-05-01'))).toBeCloseTo(0.01, 9);
    expect(price('openai', 'o3', input, new Date(Number.NaN))).toBeNull();
  });
});

describe('a call of a deployment', () => {
  const USED = usage({ input: 1000, output: 0 });
  const priced = (model: string, answeredBy: string | null, custom?: CustomPrices, provider = 'openai.azure') =>
    priceCall({ provider, model, answeredBy, usage: USED }, AT, custom);

  it('is priced by the model that answered', () => {
    expect(priced('prod-chat', 'gpt-4o-2024-08-06')).toBeCloseTo(0.0025, 9);
    expect(priced('gpt-4', 'gpt-4o-2024-08-06')).toBeCloseTo(0.0025, 9);
  });

  it('is priced by the requested name when the model that answered is unknown', () => {
    expect(priced('gpt-4o-mini', 'our-own')).toBeCloseTo(0.00015, 9);
    expect(priced('gpt-4o-mini', 'gpt-4o-for-our-team')).toBeCloseTo(0.00015, 9);
    expect(priced('prod-chat', 'our-own')).toBeNull();
    expect(priced('prod-chat', null)).toBeNull();
  });

  it('is priced as its workspace has set', () => {
    const price = { workspaceId: 1, provider: 'openai.azure', updatedAt: AT, revision: '1', output: 1 };
    const custom = new CustomPrices([{ ...price, model: 'prod-chat', input: 7, cachedInput: null, cacheWrite: null }]);
    expect(priced('prod-chat', 'gpt-4o', custom)).toBeCloseTo(0.007, 9);
  });

  it('exists on Azure only: elsewhere a model is what it is called', () => {
    expect(priced('our-own', 'gpt-4o', undefined, 'house')).toBeNull();
  });
});

describe('prices that a workspace has set', () => {
  const NOTHING = { input: null, output: null, cachedInput: null, cacheWrite: null };
  const entry = (provider: string, model: string, rates: Partial<ModelPrice>): ModelPrice => ({
    workspaceId: 1,
    provider,
    model,
    updatedAt: AT,
    revision: '1',
    ...NOTHING,
    ...rates,
  });
  const custom = new CustomPrices([
    entry('ollama', 'our-model', { input: 1, output: 2 }),
    entry('ollama', 'our-cache', { input: 1, output: 2, cachedInput: 0.1, cacheWrite: 1.5 }),
    entry('ollama', 'embedder', { input: 0.5 }),
    entry('ollama', 'unfinished', { cachedInput: 0.5 }),
    entry('openai', 'gpt-4o', { input: 100, output: 100, cachedInput: 0.5 }),
    entry('openai', 'gpt-4', { cachedInput: 0 }),
    entry('openai', 'gpt-4o-mini-for-our-team', { input: 9, output: 9 }),
    entry('anthropic', 'claude-sonnet-4-5', { cacheWrite: 4 }),
  ]);
  const cost = (provider: string, model: string, given: Partial<TokenUsage>): number | null =>
    priceCall({ provider, model, usage: usage(given) }, AT, custom);

  it.each([
    ['a model that is not in the table', 'ollama', 'our-model', { input: 1000, output: 1000 }, 0.003],
    ['... by a name with a vendor and a version', 'Ollama', 'library/Our-Model-latest', { input: 1000 }, 0.001],
    ['... cached tokens at the rate of input', 'ollama', 'our-model', { input: 1000, cached: 500 }, 0.001],
    ['... cached tokens at their own rate', 'ollama', 'our-cache', { input: 1000, cached: 500 }, 0.00055],
    ['... tokens written to the cache', 'ollama', 'our-cache', { input: 1000, cacheWrite: 1000 }, 0.0015],
    ['... and for an hour, at twice the input', 'ollama', 'our-cache', hourly(1000, 1000), 0.002],
    ['... without a rate of output', 'ollama', 'embedder', { input: 1000 }, 0.0005],
    ['a model that is in the table', 'openai', 'gpt-4o', { input: 1000, output: 1000 }, 0.2],
    ['... and the rate of its cache', 'openai', 'gpt-4o', { input: 1000, cached: 1000 }, 0.0005],
    ['... and where others are public', 'anthropic', 'claude-sonnet-4-5', { input: 1000, output: 1000 }, 0.018],
    ['... which may be nothing', 'openai', 'gpt-4', { input: 1000, cached: 1000 }, 0],
    ['... one by one', 'anthropic', 'claude-sonnet-4-5', { input: 3000, cached: 1000, cacheWrite: 1000 }, 0.0073],
    ['... at a half for a tier', 'openai', 'gpt-4o', { input: 1000, serviceTier: 'flex' }, 0.05],
    ['... whatever the tier, of their own models', 'ollama', 'our-model', { input: 1000, serviceTier: 'fast' }, 0.001],
    ['a model of which the table knows the beginning', 'openai', 'gpt-4o-mini-for-our-team', { input: 1000 }, 0.009],
  ])('price %s', (_, provider, model, given, expected) => {
    expect(cost(provider, model, given)).toBeCloseTo(expected, 9);
  });

  it.each([
    ['another model', 'ollama', 'our-model-2'],
    ['another provider', 'vllm', 'our-model'],
    ['a model of which only the cache has a rate', 'ollama', 'unfinished'],
  ])('leave %s unpriced', (_, provider, model) => {
    expect(cost(provider, model, { input: 1000, output: 1000 })).toBeNull();
  });

  it('leave a call without token counts unpriced', () => {
    expect(cost('ollama', 'our-model', {})).toBeNull();
  });
});

/** Tokens that are written to the cache, some of them for an hour. */
function hourly(cacheWrite: number, cacheWriteHour: number): Partial<TokenUsage> {
  return { input: cacheWrite, cacheWrite, cacheWriteHour };
}
