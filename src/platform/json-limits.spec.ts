import { describe, expect, it } from 'vitest';
import { fitsJsonLimits } from './json-limits.js';

const LIMITS = { depth: 3, containers: 5 };

describe('fitsJsonLimits', () => {
  it.each([
    ['a scalar', '1'],
    ['nesting up to the limit', '[{"a":[1]}]'],
    ['as many containers as allowed', '[[],[],[],[]]'],
    ['brackets inside strings', '["[[[[[[", "\\"[[[[[["]'],
    ['a string that never ends', '"[[[[[['],
    ['more brackets closed than opened', ']]]]]]'],
  ])('accepts %s', (_, json) => {
    expect(fitsJsonLimits(json, LIMITS)).toBe(true);
  });

  it.each([
    ['lists that nest too deeply', '[[[['],
    ['objects that nest too deeply', '{"a":{"a":{"a":{}}}}'],
    ['too many containers', '[[],[],[],[],[]]'],
    ['brackets after a string that ends in a backslash', '["\\\\",[[['],
  ])('refuses %s', (_, json) => {
    expect(fitsJsonLimits(json, LIMITS)).toBe(false);
  });
});
