import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../platform/json.js';
import { googleSchema } from './schema.js';

const TEXT = { type: 'string' };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });

/** A schema, the form in which the API gets it, and the result. */
const CASES: [name: string, given: JsonObject, kind: 'own' | 'json', sent: JsonObject][] = [
  [
    'has words for all of it',
    object({ a: TEXT }, { required: ['a'] }),
    'own',
    object({ a: TEXT }, { required: ['a'] }),
  ],
  [
    'needs no words that say nothing',
    object({ a: TEXT }, { $schema: 'x', additionalProperties: false, strict: true }),
    'own',
    object({ a: TEXT }),
  ],
  [
    'has no word for a list of types',
    object({ a: { type: ['string', 'null'] } }),
    'json',
    object({ a: { type: ['string', 'null'] } }),
  ],
  [
    'has no word for the values of a map',
    object({}, { additionalProperties: { type: 'number' } }),
    'json',
    object({}, { additionalProperties: { type: 'number' } }),
  ],
  [
    'has no word for references',
    object({ a: { $ref: '#/definitions/A' } }, { definitions: { A: TEXT } }),
    'json',
    object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: TEXT } }),
  ],
  ['has no word for a constant', object({ a: { const: 'x' } }), 'json', object({ a: { enum: ['x'] } })],
  [
    'has no word for alternatives of which one holds',
    { oneOf: [object({ a: { ...TEXT, minLength: 1 } }), TEXT] },
    'json',
    { oneOf: [object({ a: TEXT }), TEXT] },
  ],
  ['has no word for tuples', { type: 'array', prefixItems: [TEXT] }, 'json', { type: 'array', prefixItems: [TEXT] }],
  [
    'has no word for schemas that hold together',
    { allOf: [object({ a: TEXT }, { required: ['a'] }), object({ b: TEXT }, { required: ['b'] })], title: 'T' },
    'json',
    { ...object({ a: TEXT, b: TEXT }, { required: ['a', 'b'] }), title: 'T' },
  ],
  [
    'takes names of properties for no words',
    object({ $ref: TEXT, const: TEXT, strict: TEXT }),
    'own',
    object({ $ref: TEXT, const: TEXT, strict: TEXT }),
  ],
];

describe("the API's own kind of schema", () => {
  it.each(CASES)('%s', (_name, given, kind, sent) => {
    expect(googleSchema(given)).toEqual({ kind, schema: sent });
  });

  it('is left deep inside a schema, too', () => {
    const given = object({ list: { type: 'array', items: object({ a: { anyOf: [TEXT, { const: 1 }] } }) } });
    expect(googleSchema(given).kind).toBe('json');
  });
});
