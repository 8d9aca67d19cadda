import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.js';
import { checkJsonSchema, problemsOf } from './json-schema.js';

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

describe('JSON Schemas', () => {
  it.each<[string, JsonObject, string, string]>([
    ['tuples of draft 7', { $schema: DRAFT_7, items: [{ type: 'string' }] }, '["a"]', '[1]'],
    ['tuples of 2020-12', { $schema: DRAFT_2020, prefixItems: [{ type: 'string' }] }, '["a"]', '[1]'],
    [
      'what depends on each other, of 2019-09',
      { $schema: DRAFT_2019, dependentRequired: { a: ['b'] } },
      '{"a":1,"b":2}',
      '{"a":1}',
    ],
    ['references to their own parts', { $ref: '#/$defs/n', $defs: { n: { type: 'number' } } }, '1', '"1"'],
    [
      'recursion',
      { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false },
      '{"next":{"next":{}}}',
      '{"next":{"other":1}}',
    ],
    ['patterns', { pattern: '^[a-z]+$' }, '"abc"', '"a1"'],
    ['patterns of names', { patternProperties: { '^n_': { type: 'number' } } }, '{"n_a":1,"b":"x"}', '{"n_a":"x"}'],
    ['formats', { format: 'date-time' }, '"2026-01-02T03:04:05Z"', '"yesterday"'],
    ['large integers', { type: 'integer', minimum: 10 }, '12345678901234567890', '1.5'],
    ['keywords nobody knows', { 'x-order': 1, nonsense: true, type: 'null' }, 'null', '1'],
    // A validator that answers later would pass everything.
    ['schemas that ask to be answered later', { $async: true, type: 'null' }, 'null', '1'],
  ])('know %s', (_, schema, fits, differs) => {
    expect(problemsOf(fits, schema)).toEqual([]);
    expect(problemsOf(differs, schema)).not.toEqual([]);
  });

  it('match patterns in linear time', () => {
    expect(problemsOf(JSON.stringify(`${'a'.repeat(50_000)}!`), { pattern: '^(a+)+$' })).toHaveLength(1);
  });

  it('have patterns that compile in a moment, all together', () => {
    const anyOf = Array.from({ length: 24 }, () => ({ pattern: 'a{100}'.repeat(500) }));
    checkJsonSchema({ anyOf: anyOf.slice(0, 1) });
    expect(() => checkJsonSchema({ anyOf })).toThrow('its patterns together repeat too much');
  });

  it('name the problem', () => {
    const schema = { properties: { a: { enum: ['x', 'y'] } }, additionalProperties: false, required: ['c'] };
    expect(problemsOf('{"a":"z","b":1}', schema)).toEqual([
      "The JSON must have required property 'c'.",
      'The JSON must NOT have additional properties: "b".',
      '/a must be equal to one of the allowed values: ["x","y"].',
    ]);
  });

  it('name a limited number of problems', () => {
    const many = JSON.stringify(Array(1000).fill('x'));
    expect(problemsOf(many, { items: { type: 'number' } })).toHaveLength(20);
  });

  it('do not know of each other', () => {
    const id = 'https://example.com/one';
    expect(problemsOf('1', { $id: id, type: 'number' })).toEqual([]);
    expect(problemsOf('1', { $id: id, type: 'string' })).toHaveLength(1);
    expect(() => problemsOf('1', { $ref: id })).toThrow(/can't resolve reference/);
  });
});
