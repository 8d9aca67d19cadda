import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { ContainsColumnType } from './contains.column-type.js';
import { CountColumnType } from './count.column-type.js';

describe('CONTAINS', () => {
  const contains = (config: JsonObject) => new ContainsColumnType().compute(config as never);

  it.each<[string, JsonObject, boolean]>([
    ['ignores letter case by default', { source: 'Refund please', value: 'REFUND' }, true],
    ['can respect letter case', { source: 'Refund please', value: 'REFUND', case_sensitive: true }, false],
    ['finds nothing in nothing', { source: null, value: 'a' }, false],
    ['finds the empty text everywhere', { source: null, value: '' }, true],
    ['takes what to find from a column first', { source: 'abc', value: 'x', value_source: 'b' }, true],
    ['finds the empty text of a blank column', { source: 'abc', value: 'x', value_source: null }, true],
    ['reads numbers and objects as JSON', { source: { a: [1, 2] }, value: '"a":[1,' }, true],
    ['reads the number to find as text', { source: 'room 42', value_source: 42 }, true],
  ])('%s', (_, config, expected) => expect(contains(config)).toBe(expected));

  it('needs something to find', () => {
    const type = new ContainsColumnType();
    for (const value of [{}, { value: null }, { value_source: '' }]) {
      expect(() => type.check({ source: 'a', ...value })).toThrow(/value/);
    }
    expect(() => type.check({ source: 'a', value: '' })).not.toThrow();
  });
});

describe('COUNT', () => {
  const count = (source: JsonValue, type: string, bounds = {}) =>
    new CountColumnType().compute({ source, type, ...bounds } as never);

  it.each<[JsonValue, string, number]>([
    ['a👍é', 'chars', 3],
    ['a👍é', 'characters', 3],
    [null, 'chars', 0],
    ['  two \n words\t', 'words', 2],
    ['a\u3000b c', 'words', 3],
    ['', 'words', 0],
    ['One. Two! Three?! And four', 'sentences', 4],
    ['...', 'sentences', 0],
    ['It costs $3.50. He left.', 'sentences', 2],
    ['Version 2.0 is out.', 'sentences', 1],
    ['你好。世界！', 'sentences', 2],
    ['Really?! Yes...', 'sentences', 2],
    ['first\n\nsecond\n \nthird\nline', 'paragraphs', 3],
    ['a\r\n\r\nb', 'paragraphs', 2],
    ['\n\n', 'paragraphs', 0],
    [{ a: 1 }, 'chars', 7],
  ])('counts %j in %s: %i', (source, type, expected) => expect(count(source, type)).toBe(expected));

  it.each<[object, boolean]>([
    [{ min_count: 2 }, true],
    [{ min_count: 3 }, false],
    [{ max_count: 2 }, true],
    [{ max_count: 1 }, false],
    [{ min_count: 2, max_count: 2 }, true],
  ])('checks two words against the bounds %j', (bounds, expected) => {
    expect(count('two words', 'words', bounds)).toBe(expected);
  });
});
