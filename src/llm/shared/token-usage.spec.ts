import { describe, expect, it } from 'vitest';
import { placeParts, type TokenUsage } from './token-usage.js';

type Counts = [
  input: number | null,
  output: number | null,
  cached: number | null,
  written: number | null,
  thinking: number | null,
];

const usageOf = ([input, output, cached, cacheWrite, thinking]: Counts): TokenUsage => ({
  input,
  output,
  cached,
  cacheWrite,
  thinking,
  cacheExclusive: false,
});

describe('placeParts', () => {
  it.each<[string, Counts, number | null, Partial<TokenUsage>]>([
    ['all inside', [100, 50, 20, 10, 5], 150, { input: 100, output: 50, cacheExclusive: false }],
    ['thinking beside', [100, 50, 20, 10, 5], 155, { input: 100, output: 55, cacheExclusive: false }],
    ['the cache beside', [100, 50, 20, 10, 5], 180, { input: 100, output: 50, cacheExclusive: true }],
    ['all beside', [100, 50, 20, 10, 5], 185, { input: 100, output: 55, cacheExclusive: true }],
    ['only what was read beside', [100, 50, 20, 10, 5], 170, { input: 120, output: 50, cacheExclusive: false }],
    ['only what was written beside', [100, 50, 20, 10, 5], 160, { input: 110, output: 50, cacheExclusive: false }],
    ['what was read beside, nothing written', [100, 50, 20, null, null], 170, { input: 100, cacheExclusive: true }],
    ['a total that fits nothing', [100, 50, 20, 10, 5], 999, { input: 100, output: 50, cacheExclusive: false }],
    ['a total that is too small', [100, 50, 20, 10, 5], 1, { input: 100, output: 50, cacheExclusive: false }],
    ['no total', [100, 50, 20, 10, 5], null, { input: 100, output: 50, cacheExclusive: false }],
    ['no total, the cache larger than the input', [10, 50, 20, 10, 5], null, { input: 10, cacheExclusive: true }],
    ['a total without the cache, which is larger', [13, 5, 4000, 100, null], 18, { input: 13, cacheExclusive: true }],
    ['no output', [100, null, 20, null, null], 120, { input: 100, output: null, cacheExclusive: true }],
    ['no input', [null, 50, 20, null, 5], 150, { input: null, output: 50, cacheExclusive: false }],
  ])('reads %s', (_, counts, total, expected) => {
    expect(placeParts(usageOf(counts), total)).toMatchObject(expected);
  });
});
