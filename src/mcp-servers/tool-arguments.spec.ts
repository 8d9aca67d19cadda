import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { fitArguments } from './tool-arguments.js';

const fit = (value: JsonValue, schema: JsonValue) => fitArguments({ a: value }, { properties: { a: schema } });
const type = (name: JsonValue) => ({ type: name });

describe('an argument', () => {
  it.each<[JsonValue, JsonValue, JsonValue]>([
    ['3', type('integer'), 3],
    [' 3 ', type('integer'), 3],
    ['3.0', type('integer'), 3],
    ['-1.5e3', type('number'), -1500],
    ['12345678901234567890', type('integer'), 12345678901234567890n],
    ['true', type('boolean'), true],
    ['False', type('boolean'), false],
    ['[1,2]', type('array'), [1, 2]],
    ['{"b":1}', type('object'), { b: 1 }],
    ['null', type(['object', 'null']), null],
    ['', type(['integer', 'null']), null],
    ['3', type(['integer', 'boolean']), 3],
    ['3', { anyOf: [type('integer'), type('null')] }, 3],
    ['3', { oneOf: [type('array'), type('number')] }, 3],
    ['2', { enum: [1, 2] }, 2],
    ['2', { const: 2 }, 2],
    [3, type('string'), '3'],
    [true, type('string'), 'true'],
    [{ b: 1 }, type('string'), '{"b":1}'],
    [12345678901234567890n, type('string'), '12345678901234567890'],
    [null, type(['string', 'null']), null],
  ])('%j for %j is converted to %j', (value, schema, expected) => {
    expect(fit(value, schema)).toEqual({ a: expected });
  });

  it.each<[JsonValue, JsonValue]>([
    ['3', type('string')],
    ['3', type(['string', 'integer'])],
    ['3', {}],
    ['3', true],
    ['3', { $ref: '#/$defs/x' }],
    ['3', { anyOf: [type('integer'), { $ref: '#/$defs/x' }] }],
    ['3.5', type('integer')],
    ['three', type('integer')],
    ['yes', type('boolean')],
    ['1', type('boolean')],
    ['[1]', type('object')],
    ['{', type('object')],
    [3, type('number')],
    [3, type('integer')],
    [3, type('boolean')],
    [[1], type('array')],
    ['', type('string')],
    [null, {}],
  ])('%j for %j stays unchanged', (value, schema) => expect(fit(value, schema)).toEqual({ a: value }));

  it.each<[JsonValue, JsonValue]>([
    [null, type('string')],
    [null, type(['integer', 'boolean'])],
    ['', type('integer')],
    [' ', type('object')],
  ])('%j for %j is dropped', (value, schema) => expect(fit(value, schema)).toEqual({}));

  it('may have any name, including inherited properties of objects', () => {
    const args = JSON.parse('{"__proto__":"1","constructor":"2"}') as JsonObject;
    const schema = { properties: JSON.parse('{"__proto__":{"type":"integer"}}') as JsonObject };
    expect(JSON.stringify(fitArguments(args, schema))).toBe('{"__proto__":1,"constructor":"2"}');
    expect(fitArguments({ a: '1' }, {})).toEqual({ a: '1' });
    expect(fitArguments({ a: '1' }, { properties: [] })).toEqual({ a: '1' });
  });
});
