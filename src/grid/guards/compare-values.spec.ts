import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../platform/json.js';
import type { GuardOperator } from '../columns/column-guard.js';
import { compareValues } from './compare-values.js';

type Case = [left: JsonValue, operator: GuardOperator, right: JsonValue];

const HOLD: Case[] = [
  ['yes', '=', 'yes'],
  ['Yes', '!=', 'yes'],
  [' yes', '!=', 'yes'],
  ['', '=', ''],
  ['', '!=', null],
  [null, '=', null],
  [null, '!=', 0],
  [null, '!=', false],
  // Numbers, and texts that are numbers.
  [1, '=', 1.0],
  ['1.0', '=', '1'],
  ['10', '>', '9'],
  [' 7 ', '=', 7],
  ['7', '=', 7],
  [7, '!=', '7a'],
  ['-3', '<', 0],
  [9_007_199_254_740_993n, '>', 9_007_199_254_740_992],
  ['9007199254740993', '!=', '9007199254740992'],
  ['9007199254740993.0', '=', 9_007_199_254_740_993n],
  ['9007199254740993.5', '>', '9007199254740993'],
  ['1E400', '>', 5],
  ['0.30', '<=', 0.3],
  ['1e3', '>=', 1000],
  ['1e3', '<=', 1000],
  [2, '>', '1'],
  [5, '>=', 5],
  // Booleans, as JSON and as Python spells them.
  [true, '=', 'true'],
  ['True', '=', true],
  [false, '=', ' FALSE '],
  [true, '!=', false],
  [true, '!=', 1],
  [true, '!=', 'yes'],
  // Letters that look the same.
  ['caf\u00e9', '=', 'cafe\u0301'],
  ['caf\u00e9', 'in', ['cafe\u0301']],
  ['caf\u00e9', 'in', 'a cafe\u0301'],
  ['caf\u00e9', 'in', { 'cafe\u0301': 1 }],
  ['caf\u00e9', '<=', 'cafe\u0301'],
  // Texts in order.
  ['2026-01-02', '<', '2026-01-10'],
  ['b', '>', 'a'],
  ['a', '<=', 'a'],
  // JSON, whether it is parsed or a text.
  [{ a: 1, b: [2] }, '=', { b: [2], a: 1 }],
  ['{"b": [2], "a": 1}', '=', { a: 1, b: [2] }],
  [[1, 2], '=', '[1, 2]'],
  [[1, 2], '!=', [2, 1]],
  ['[1, 2]', '!=', '[1,2]'],
  // Lists, also those in texts; keys; parts of texts.
  ['b', 'in', ['a', 'b']],
  [2, 'in', ['1', '2']],
  ['b', 'in', '["a", "b"]'],
  [null, 'in', [null]],
  ['a', 'in', { a: 1 }],
  ['refund', 'in', 'a refund, please'],
  [4, 'in', '1234'],
  [true, 'in', true],
  ['c', 'not_in', ['a', 'b']],
  ['x', 'not_in', 'abc'],
  [null, 'not_in', ['a']],
  ['a', 'not_in', null],
  ['constructor', 'not_in', { a: 1 }],
  ['[x', 'in', 'see [x]'],
  // Null.
  [null, 'is_null', null],
  ['', 'is_not_null', null],
  [0, 'is_not_null', null],
  [false, 'is_not_null', null],
];

const OPPOSITES: Partial<Record<GuardOperator, GuardOperator>> = {
  '=': '!=',
  '!=': '=',
  in: 'not_in',
  not_in: 'in',
  is_null: 'is_not_null',
  is_not_null: 'is_null',
};

describe('a condition', () => {
  it.each(HOLD)('%j %s %j holds', (left, operator, right) => {
    expect(compareValues(operator, left, right)).toBe(true);
    const opposite = OPPOSITES[operator];
    if (opposite) expect(compareValues(opposite, left, right)).toBe(false);
  });

  const UNORDERED: [JsonValue, JsonValue][] = [
    [null, 1],
    [1, null],
    [null, null],
    [true, false],
    [[1], [2]],
    [{ a: 1 }, { a: 2 }],
    ['a', 1],
    [1, 'a'],
    ['', 0],
  ];
  it.each(UNORDERED)('%j and %j have no order', (left, right) => {
    for (const operator of ['<', '>', '<=', '>='] as const) expect(compareValues(operator, left, right)).toBe(false);
  });
});
