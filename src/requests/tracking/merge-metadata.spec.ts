import { describe, expect, it } from 'vitest';
import { mergeMetadata } from './merge-metadata.js';

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

  it('keep keys that JavaScript has a meaning for', () => {
    const given = JSON.parse('{"__proto__":"p"}') as Record<string, string>;
    expect(Object.keys(mergeMetadata(given, { a: 'b' }))).toEqual(['__proto__', 'a']);
  });
});
