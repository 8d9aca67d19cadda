import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import { mergeMetadata, toMetadata } from './metadata.js';

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
  ])('of %j is %j', (given, stored) => {
    expect(toMetadata(given)).toEqual(stored);
  });

  it('keeps keys that JavaScript has a meaning for', () => {
    const given = JSON.parse('{"__proto__":"p","constructor":"c","toString":1}') as JsonObject;
    expect(Object.entries(toMetadata(given))).toEqual([
      ['__proto__', 'p'],
      ['constructor', 'c'],
      ['toString', '1'],
    ]);
    expect(Object.keys(mergeMetadata(toMetadata(given), { a: 'b' }))).toContain('__proto__');
  });
});

describe('additions', () => {
  it('replace what has their key and leave the rest', () => {
    expect(mergeMetadata(undefined, { a: '1' })).toEqual({ a: '1' });
    expect(mergeMetadata({ a: '1', b: '2' }, { b: '3', c: '4' })).toEqual({ a: '1', b: '3', c: '4' });
  });

  it('are refused when they grow beyond what may be added in all', () => {
    const half = 'x'.repeat(600_000);
    expect(() => mergeMetadata({ a: half }, { b: half })).toThrow('1000000 characters');
    expect(mergeMetadata({ a: half }, { a: 'x', b: half })).toEqual({ a: 'x', b: half });
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key ${index}`, '']));
    expect(() => mergeMetadata(many, { a: '1' })).toThrow('up to 1000 keys');
    expect(mergeMetadata(many, { 'key 0': '1' })).toEqual({ ...many, 'key 0': '1' });
  });
});
