import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json.js';
import { functionIn, identifierOf, toFunctionTool } from './function-tool.js';

const defaults = { description: '', strict: false, parameters: { type: 'object', properties: {} } };

describe('a definition as a function tool', () => {
  it.each([
    ['in the usual form', { type: 'function', function: { name: 'add' } }, { name: 'add', ...defaults }],
    ['by itself', { name: 'add', description: 'Adds.' }, { name: 'add', ...defaults, description: 'Adds.' }],
    ['by itself with a type', { type: 'function', name: 'add' }, { name: 'add', ...defaults }],
    ['with other keys', { function: { name: 'add', cache: 1 } }, { name: 'add', cache: 1, ...defaults }],
    [
      'with what does not fit',
      { function: { name: 'add', description: 7, strict: 'yes', parameters: [] } },
      { name: 'add', ...defaults },
    ],
  ])('%s', (_, definition, expected) => {
    expect(toFunctionTool(definition)).toEqual({ type: 'function', function: expected });
  });

  it.each<JsonObject>([{}, { function: {} }, { function: { name: '' } }, { function: { name: ' ' } }, { name: 7 }])(
    'is none without a name: %j',
    (definition) => {
      expect(toFunctionTool(definition)).toBeNull();
      expect(functionIn(definition)).toBeNull();
    },
  );
});

it.each([
  ['add', 'add'],
  ['get-weather', 'get_weather'],
  ['math.add', 'math_add'],
  ['2nd', '_2nd'],
  ['lambda', '_lambda'],
  ['delete', '_delete'],
  ['args', '_args'],
  ['größe', 'gr__e'],
  ['a(): pass #', 'a____pass__'],
  ['f(){}; steal', 'f______steal'],
])('the name %s is %s in code', (name, expected) => {
  expect(identifierOf(name)).toBe(expected);
});
