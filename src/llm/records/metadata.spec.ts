import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import { toMetadata } from './metadata.js';

describe('metadata as it is stored', () => {
  it.each<[JsonObject, Record<string, string>]>([
    [{}, {}],
    [{ a: 'b' }, { a: 'b' }],
    [{ a: '' }, { a: '' }],
    [{ a: null, b: 'c' }, { b: 'c' }],
    [
      { a: 1, b: -0.5, c: 1e21 },
      { a: '1', b: '-0.5', c: '1e+21' },
    ],
    [
      { a: true, b: false },
      { a: 'true', b: 'false' },
    ],
    [{ a: { b: [1, null] } }, { a: '{"b":[1,null]}' }],
    [{ a: [] }, { a: '[]' }],
    [{ a: '{"b":1}' }, { a: '{"b":1}' }],
  ])('turns %j into %j', (given, stored) => {
    expect(toMetadata(given)).toEqual(stored);
  });

  it('keeps keys with a meaning in JavaScript', () => {
    const given = JSON.parse('{"__proto__":"p","constructor":"c","toString":1}') as JsonObject;
    expect(Object.entries(toMetadata(given))).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['toString', '1'],
    ]);
  });
});
