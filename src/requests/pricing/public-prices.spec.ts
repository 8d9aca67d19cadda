import { describe, expect, it } from 'vitest';
import type { TokenUsage } from '../../llm/shared/token-usage.js';
import { priceCall } from './price-call.js';

/** Prices change. These were valid on that day. */
const AT = new Date('2026-02-01T12:00:00Z');
const THOUSAND = 1000;
const NOTHING = { input: 0, output: 0, cached: null, cacheWrite: null, thinking: null, cacheExclusive: false };

function dollars(provider: string, model: string, usage: Partial<TokenUsage>, at = AT): number | null {
  return priceCall({ provider, model, usage: { ...NOTHING, ...usage } }, at);
}

/** Dollars per million tokens, measured with a call below every threshold. */
function ratesOf(provider: string, model: string, at = AT) {
  const rate = (usage: Partial<TokenUsage>) => {
    const price = dollars(provider, model, usage, at);
    return price === null ? null : Math.round(price * 1e9) / 1e6;
  };
  return {
    input: rate({ input: THOUSAND }),
    cached: rate({ input: THOUSAND, cached: THOUSAND }),
    write: rate({ input: THOUSAND, cacheWrite: THOUSAND }),
    output: rate({ output: THOUSAND }),
  };
}

type Row = [provider: string, models: string, input: number, cached: number | null, write: number | null, out: number];

/** Prices of the vendors. Without a rate for the cache (null), cached tokens cost as much as other input. */
const PRICES: Row[] = [
  ['openai', 'gpt-3.5-turbo', 0.5, null, null, 1.5],
  ['openai', 'gpt-4', 30, null, null, 60],
  ['openai', 'gpt-4-turbo', 10, null, null, 30],
  ['openai', 'gpt-4o', 2.5, 1.25, null, 10],
  ['openai', 'gpt-4o-mini', 0.15, 0.075, null, 0.6],
  ['openai', 'gpt-4.1', 2, 0.5, null, 8],
  ['openai', 'gpt-4.1-mini', 0.4, 0.1, null, 1.6],
  ['openai', 'gpt-4.1-nano', 0.1, 0.025, null, 0.4],
  ['openai', 'o1', 15, 7.5, null, 60],
  ['openai', 'o1-mini', 1.1, 0.55, null, 4.4],
  ['openai', 'o1-pro', 150, null, null, 600],
  ['openai', 'o3', 2, 0.5, null, 8],
  ['openai', 'o3-mini', 1.1, 0.55, null, 4.4],
  ['openai', 'o3-pro', 20, null, null, 80],
  ['openai', 'o4-mini', 1.1, 0.275, null, 4.4],
  ['openai', 'gpt-5 gpt-5.1', 1.25, 0.125, null, 10],
  ['openai', 'gpt-5-mini', 0.25, 0.025, null, 2],
  ['openai', 'gpt-5-nano', 0.05, 0.005, null, 0.4],
  ['openai', 'gpt-5-pro', 15, null, null, 120],
  ['openai', 'gpt-5.2', 1.75, 0.175, null, 14],
  ['openai', 'gpt-5.4', 2.5, 0.25, null, 15],
  ['openai', 'gpt-5.4-mini', 0.75, 0.075, null, 4.5],
  ['openai', 'gpt-5.4-nano', 0.2, 0.02, null, 1.25],
  ['openai', 'gpt-5.5', 5, 0.5, null, 30],
  ['openai', 'gpt-5.6-sol', 5, 0.5, 6.25, 30],
  ['openai', 'text-embedding-3-small', 0.02, null, null, 0],
  ['openai', 'text-embedding-3-large', 0.13, null, null, 0],
  ['openai', 'text-embedding-ada-002', 0.1, null, null, 0],
  // Other lists have no cache rates for these two models; their vendor does.
  ['anthropic', 'claude-3-haiku', 0.25, 0.03, 0.3, 1.25],
  ['anthropic', 'claude-3-opus', 15, 1.5, 18.75, 75],
  ['anthropic', 'claude-3-sonnet claude-3.5-sonnet claude-3.7-sonnet', 3, 0.3, 3.75, 15],
  ['anthropic', 'claude-sonnet-4 claude-sonnet-4.5 claude-sonnet-4.6', 3, 0.3, 3.75, 15],
  ['anthropic', 'claude-3.5-haiku', 0.8, 0.08, 1, 4],
  ['anthropic', 'claude-haiku-4.5', 1, 0.1, 1.25, 5],
  ['anthropic', 'claude-opus-4 claude-opus-4.1', 15, 1.5, 18.75, 75],
  ['anthropic', 'claude-opus-4.5 claude-opus-4.6 claude-opus-4.7', 5, 0.5, 6.25, 25],
  ['anthropic', 'claude-opus-4.8 claude-opus-5', 5, 0.5, 6.25, 25],
  ['anthropic', 'claude-sonnet-5', 2, 0.2, 2.5, 10],
  // Other lists lack this rate of the vendor, too.
  ['google', 'gemini-2.0-flash', 0.1, 0.025, null, 0.4],
  ['google', 'gemini-2.5-flash', 0.3, 0.03, null, 2.5],
  ['google', 'gemini-2.5-flash-lite', 0.1, 0.01, null, 0.4],
  ['google', 'gemini-2.5-pro', 1.25, 0.125, null, 10],
  ['google', 'gemini-3-pro-preview gemini-3.1-pro-preview', 2, 0.2, null, 12],
  ['google', 'gemini-3-flash-preview', 0.5, 0.05, null, 3],
  ['google', 'gemini-3.5-flash', 1.5, 0.15, null, 9],
  ['google', 'gemini-3.5-flash-lite', 0.3, 0.03, null, 2.5],
  ['google', 'gemini-3.6-flash', 0.75, 0.075, null, 3.75],
];

describe('public prices', () => {
  const rows = PRICES.flatMap(([provider, models, ...rates]) =>
    models.split(' ').map((model) => [provider, model, ...rates] as const),
  );

  it.each(rows)('are those of %s/%s: %d in, %d cached, %d written, %d out', (provider, model, input, ...rest) => {
    const [cached, write, output] = rest;
    expect(ratesOf(provider, model)).toEqual({ input, cached: cached ?? input, write: write ?? input, output });
  });

  it.each([
    ['openai', 'gpt-5.4', 272_001, 5, 0.5, 22.5],
    // Lists with one price per model lack the prices of long inputs.
    ['openai', 'gpt-5.5', 272_001, 10, 1, 45],
    ['openai', 'gpt-5.6-sol', 272_001, 10, 1, 45],
    ['anthropic', 'claude-sonnet-4.5', 200_001, 6, 0.6, 22.5],
    ['google', 'gemini-2.5-pro', 200_001, 2.5, 0.25, 15],
    ['google', 'gemini-3-pro-preview', 200_001, 4, 0.4, 18],
    ['google', 'gemini-3.1-pro-preview', 200_001, 4, 0.4, 18],
  ])('rise for %s/%s from %d input tokens: %d in, %d cached, %d out', (provider, model, long, ...rates) => {
    const [input, cached, output] = rates;
    const price = (usage: Partial<TokenUsage>) => dollars(provider, model, usage)! * 1e6;
    expect(price({ input: long })).toBeCloseTo(long * input, 4);
    expect(price({ input: long, cached: long })).toBeCloseTo(long * cached, 4);
    expect(price({ input: long, output: THOUSAND })).toBeCloseTo(long * input + THOUSAND * output, 4);
    const short = long - 1;
    expect(price({ input: short })).toBeCloseTo(short * ratesOf(provider, model).input!, 4);
  });

  it('follow the start of the call when they change', () => {
    const later = new Date('2026-11-24T12:00:00Z');
    expect(ratesOf('openai', 'gpt-5.6-sol', later)).toEqual({ input: 4, cached: 0.4, write: 5, output: 20 });
    const long = { input: 300_000 };
    expect(dollars('anthropic', 'claude-opus-4.6', long)).toBeCloseTo(0.3 * 10, 9);
    expect(dollars('anthropic', 'claude-opus-4.6', long, later)).toBeCloseTo(0.3 * 5, 9);
  });
});
