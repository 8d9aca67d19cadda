import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../platform/json.js';
import { AssertValidColumnType } from './assert-valid.column-type.js';
import { cellOf, endSandbox, parsed } from './column-types.fixture.js';
import { CompareColumnType } from './compare.column-type.js';
import { containsText } from './contains-text.js';
import { MathOperatorColumnType } from './math-operator.column-type.js';
import { MinMaxColumnType } from './min-max.column-type.js';
import { NumericDistanceColumnType } from './numeric-distance.column-type.js';
import { RegexColumnType } from './regex.column-type.js';

afterAll(endSandbox);

const failing = (reason: string) => ({ error: expect.stringContaining(reason) as string });

describe('COMPARE', () => {
  const json = { type: 'JSON' };
  it.each<[string, JsonObject, JsonValue]>([
    ['equal texts', { sources: ['a', 'a'] }, true],
    ['letter case counts', { sources: ['a', 'A'] }, false],
    ['letters that are composed and decomposed', { sources: ['caf\u00e9', 'cafe\u0301'] }, true],
    ['such letters in JSON', { sources: ['["caf\u00e9"]', '["cafe\u0301"]'], comparison_type: { type: 'JSON' } }, true],
    ['JSON in a block of code', { sources: ['```json\n[1]\n```', '[1]'], comparison_type: { type: 'JSON' } }, true],
    ['blanks count', { sources: ['a', 'a '] }, false],
    ['null is the empty text', { sources: [null, ''] }, true],
    ['text forms: a number and its text', { sources: [5, '5'] }, true],
    ['numbers written differently', { sources: ['1.50', '1.5'] }, true],
    ['a number with a blank is a text', { sources: ['5 ', '5'] }, false],
    ['long numbers are not rounded', { sources: ['12345678901234567890', '12345678901234567891'] }, false],
    ['objects as JSON text', { sources: [{ a: 1 }, '{"a":1}'] }, true],
    ['a fixed value', { sources: ['yes'], target: 'yes' }, true],
    ['a fixed number', { sources: ['7'], target: 7 }, true],
    [
      'JSON whatever the order of keys',
      { sources: ['{"a":1,"b":[2]}', { b: [2], a: 1 }], comparison_type: json },
      true,
    ],
    ['JSON lists have an order', { sources: ['[1,2]', '[2,1]'], comparison_type: json }, false],
    ['JSON numbers are no texts', { sources: ['1', '"1"'], comparison_type: json }, false],
    ['blank JSON is null', { sources: ['', 'null'], comparison_type: json }, true],
    ['__proto__ is a key', { sources: ['{"__proto__":1}', '{}'], comparison_type: json }, false],
    [
      'at a path in both columns',
      { sources: ['{"a":{"x":1,"y":2}}', { a: { y: 2, x: 1 } }], comparison_type: { type: 'JSON', json_path: '$.a' } },
      true,
    ],
    [
      'a path without match is null',
      { sources: ['{"a":null}', '{}'], comparison_type: { type: 'JSON', json_path: '$.a' } },
      true,
    ],
    [
      'a fixed value has no path',
      { sources: ['{"a":[1]}'], target: [1], comparison_type: { type: 'JSON', json_path: 'a' } },
      true,
    ],
    ['numbers', { sources: ['5', 3], comparison_type: { type: 'NUMBER', operator: 'gt' } }, true],
    [
      'an integer and a fraction beyond 2^53',
      { sources: ['9007199254740993', '9007199254740993.0'], comparison_type: { type: 'NUMBER' } },
      true,
    ],
    [
      'an integer and the number that a double would make of a fraction',
      { sources: ['9007199254740994', '9007199254740993.5'], comparison_type: { type: 'NUMBER' } },
      false,
    ],
    [
      'numbers beyond those of doubles',
      { sources: ['1E400', 5], comparison_type: { type: 'NUMBER', operator: 'gt' } },
      true,
    ],
    ['numbers are equal by default', { sources: ['5', 5], comparison_type: { type: 'NUMBER' } }, true],
  ])('%s', async (_, config, value) => {
    expect(await cellOf(CompareColumnType, config)).toEqual({ value });
  });

  it('fails on invalid JSON and invalid numbers', async () => {
    const bad = (comparison_type: JsonObject) =>
      cellOf(CompareColumnType, { sources: ['{', '{}'], comparison_type } as JsonObject);
    expect(await bad({ type: 'JSON' })).toEqual(failing('not valid JSON'));
    expect(await bad({ type: 'JSON', json_path: '$' })).toEqual(failing('not valid JSON'));
    expect(await bad({ type: 'NUMBER' })).toEqual(failing('The first is not a number: "{"'));
    const infinite = { sources: ['1e400', 'null'], comparison_type: json };
    expect(await cellOf(CompareColumnType, infinite)).toEqual(failing('a number that is too large'));
  });

  it('takes earlier forms of its config', () => {
    const sources = ['A', 'B'];
    expect(parsed(CompareColumnType, { source1: 'A', source2: 'B' })).toMatchObject({ sources });
    expect(parsed(CompareColumnType, { sources, comparison_type: 'json' })).toMatchObject({
      comparison_type: { type: 'JSON' },
    });
    expect(parsed(CompareColumnType, { sources, comparison_type: null })).toMatchObject({
      comparison_type: { type: 'STRING' },
    });
  });

  it.each<[JsonObject, string]>([
    [{ sources: ['A'] }, 'a target'],
    [{ sources: ['A', 'B', 'C'] }, 'at most 2'],
    [{}, 'sources is required'],
    [{ sources: ['A', 'B'], comparison_type: 'FUZZY' }, 'comparison_type'],
    [{ sources: ['A', 'B'], comparison_type: { type: 'JSON', json_path: '$[' } }, 'not a valid JSONPath'],
  ])('refuses %j', (config, problem) => {
    expect(() => parsed(CompareColumnType, config)).toThrow(problem);
  });
});

describe('MATH_OPERATOR', () => {
  it.each<[string, JsonValue[], number | undefined, JsonValue]>([
    ['lt', [1, '2'], undefined, true],
    ['le', [2, 2], undefined, true],
    ['gt', ['2.5', 2], undefined, true],
    ['ge', [1, 2], undefined, false],
    ['eq', [' 2 ', 2], undefined, true],
    ['ne', [2, 2], undefined, false],
    ['gt', [3], 2, true],
    ['gt', [3, 5], 2, false],
    ['+', ['1e2', 1], undefined, 101],
    ['-', [1, 2], undefined, -1],
    ['*', [3], 4, 12],
    ['/', [1, 4], undefined, 0.25],
    ['%', [-7, 3], undefined, 2],
    ['**', [2, 10], undefined, 1024],
    ['+', [0.1, 0.2], undefined, 0.3],
    ['-', [0.3, '0.1'], undefined, 0.2],
    ['*', [1.1, 3], undefined, 3.3],
    ['/', [0.3, 0.1], undefined, 3],
    ['le', [0.3], 0.3, true],
    ['%', [5.5, 0.1], undefined, 0],
    ['%', [-5.5, 2], undefined, 0.5],
    ['%', [0.3, 0.1], undefined, 0],
    ['%', ['1e20', 7], undefined, 2],
    ['**', [3, 40], undefined, 12_157_665_459_056_928_801n],
    ['**', [0.1, 3], undefined, 0.001],
    ['**', [2, -2], undefined, 0.25],
    ['**', [-1, 1_000_001], undefined, -1],
    ['**', [0, 0], undefined, 1],
    ['**', [2, 0.5], undefined, Math.SQRT2],
    ['eq', ['9007199254740993', '9007199254740993.0'], undefined, true],
    ['eq', ['9007199254740993', '9007199254740992.0'], undefined, false],
    ['gt', ['1E400', 1], undefined, true],
  ])('%s of %j', async (operator, sources, value, result) => {
    expect(await cellOf(MathOperatorColumnType, { operator, sources, value: value ?? null })).toEqual({
      value: result,
    });
  });

  it.each<[JsonObject, string]>([
    [{ operator: 'gt', sources: [null, 1] }, 'The first source is not a number: it is empty'],
    [{ operator: 'gt', sources: [1, true] }, 'The second source is not a number: "true"'],
    [{ operator: '/', sources: [1, 0] }, 'Division by zero'],
    [{ operator: '%', sources: [1, 0] }, 'Division by zero'],
    [{ operator: '**', sources: [0, -1] }, 'Division by zero'],
    [{ operator: '**', sources: [10, 5000] }, 'more than 4300 digits'],
    [{ operator: '**', sources: [9.5, 1e15] }, 'more than 4300 digits'],
    [{ operator: '**', sources: [-8, 0.5] }, 'no finite result'],
    [{ operator: '**', sources: [0.5, 1200] }, 'too many digits'],
    [{ operator: '+', sources: ['9007199254740993', 0.5] }, 'too many digits'],
    [{ operator: '+', sources: [Infinity, 1] }, 'The first source is a number that is too large'],
  ])('fails for %j', async (config, reason) => {
    expect(await cellOf(MathOperatorColumnType, config)).toEqual(failing(reason));
  });

  it('needs a second number and a known operator', () => {
    expect(() => parsed(MathOperatorColumnType, { sources: ['A'], operator: 'gt' })).toThrow('a value');
    expect(() => parsed(MathOperatorColumnType, { sources: ['A', 'B'], operator: 'like' })).toThrow('operator');
    expect(parsed(MathOperatorColumnType, { source1: 'A', source2: 'B', operator: '+' })).toEqual({
      sources: ['A', 'B'],
      operator: '+',
    });
    expect(parsed(MathOperatorColumnType, { source1: 'A', operator: 'gt', value: 0 })).toMatchObject({
      sources: ['A'],
    });
  });
});

describe('ABSOLUTE_NUMERIC_DISTANCE', () => {
  const distance = (...sources: JsonValue[]) => cellOf(NumericDistanceColumnType, { sources });

  it('is how far two numbers are apart', async () => {
    expect(await distance(2, '5.5')).toEqual({ value: 3.5 });
    expect(await distance(-1, 1)).toEqual({ value: 2 });
    expect(await distance(0.1, 0.3)).toEqual({ value: 0.2 });
    expect(await distance('9007199254740993', 0)).toEqual({ value: 9_007_199_254_740_993n });
  });

  it('fails on values that are no numbers', async () => {
    expect(await distance('a', 1)).toEqual(failing('The first source is not a number: "a"'));
    expect(await distance(1, null)).toEqual(failing('The second source is not a number: it is empty'));
  });

  it('takes exactly two columns, also in the earlier form', () => {
    expect(parsed(NumericDistanceColumnType, { source1: 'A', source2: 'B' })).toEqual({ sources: ['A', 'B'] });
    expect(() => parsed(NumericDistanceColumnType, { sources: ['A'] })).toThrow('at least 2');
  });
});

describe('MIN_MAX', () => {
  it.each<[JsonObject, JsonValue]>([
    [{ source: '[3, 1, 2]', type: 'min' }, 1],
    [{ source: [3, '10', 'x', null], type: 'max' }, 10],
    [{ source: '5', type: 'min' }, 5],
    [{ sources: ['5', 2, [9, [11]]], type: 'max' }, 11],
    [{ sources: ['9007199254740993', '9007199254740992.5'], type: 'max' }, 9_007_199_254_740_993n],
    [{ source: '{"a":[{"n":4},{"n":7}]}', type: 'max', json_path: '$.a[*].n' }, 7],
    [{ sources: ['{"n":4}', { n: -1 }], type: 'min', json_path: '$.n' }, -1],
  ])('%j', async (config, value) => expect(await cellOf(MinMaxColumnType, config)).toEqual({ value }));

  it.each<[JsonObject, string]>([
    [{ source: '["a"]', type: 'min' }, 'no number'],
    [{ source: '[1e400, 5]', type: 'max' }, 'too large'],
    [{ source: [Infinity, 5], type: 'min' }, 'too large'],
    [{ source: null, type: 'min' }, 'no number'],
    [{ source: '{"a":1}', type: 'min', json_path: '$.b' }, 'no number'],
    [{ source: '{"a"', type: 'min', json_path: '$.b' }, 'not valid JSON'],
  ])('fails for %j', async (config, reason) => {
    expect(await cellOf(MinMaxColumnType, config)).toEqual(failing(reason));
  });

  it('takes the earlier form and needs a source', () => {
    expect(parsed(MinMaxColumnType, { sources: ['A'], operation: 'max' })).toEqual({ sources: ['A'], type: 'max' });
    expect(() => parsed(MinMaxColumnType, { type: 'max' })).toThrow('give a source');
    expect(() => parsed(MinMaxColumnType, { source: 'A', type: 'max', json_path: '$[' })).toThrow('JSONPath');
  });
});

describe('ASSERT_VALID', () => {
  it.each<[string, JsonValue, boolean]>([
    ['object', '{"a":1}', true],
    ['object', '[1]', true],
    ['object', { a: 1 }, true],
    ['object', '5', false],
    ['object', '{', false],
    ['object', null, false],
    ['object', '['.repeat(100_000), false],
    ['number', ' 5.5 ', true],
    ['number', 5, true],
    ['number', '5a', false],
    ['number', true, false],
    ['number', null, false],
    ['email', 'a.b+c@example.org', true],
    ['email', 'a@b', false],
    ['email', null, false],
    ['email', 'a@'.repeat(1_000_000), false],
    ['sql', "SELECT a FROM t WHERE b = 'x'", true],
    ['sql', 'SELECT `a` FROM `t`; DELETE FROM t', true],
    ['sql', 'SELEC a', false],
    ['sql', null, false],
    ['sql', `SELECT ${'('.repeat(100_000)}`, false],
    ['xml', '<a><b/></a>', true],
    ['xml', '<a><b></a>', false],
    ['xml', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', false],
    ['xml', null, false],
  ])('%s: %.60j is %s', async (type, source, value) => {
    expect(await cellOf(AssertValidColumnType, { type, source })).toEqual({ value });
  });

  it('knows json as another word, and the earlier key', () => {
    expect(parsed(AssertValidColumnType, { source: 'A', validation_type: 'JSON' })).toMatchObject({ type: 'object' });
    expect(() => parsed(AssertValidColumnType, { source: 'A', type: 'poem' })).toThrow('type');
  });
});

describe('REGEX', () => {
  it.each<[string, JsonValue, boolean]>([
    ['fun', 'a refund', true],
    ['^fun', 'a refund', false],
    ['^$', null, true],
    ['(?i)REFUND', 'refund', true],
    ['(?P<n>\\d+)', 'room 42', true],
    ['^\\w+$', 'Prüfung', true],
    ['\\d', '٣', true],
    ['^[\\w-]+\\Z', 'é-1', true],
    ['(?#a comment)b', 'b', true],
    ['\\u00e9', 'é', true],
    ['[]a]', ']', true],
    ['"a":1', { a: 1 }, true],
    ['^4', 42, true],
    ['(a+)+$', `${'a'.repeat(100_000)}b`, false],
  ])('%s in %.40j: %s', async (regex_pattern, source, value) => {
    expect(await cellOf(RegexColumnType, { regex_pattern, source })).toEqual({ value });
  });

  it.each<[string, string]>([
    ['(', 'not a valid regular expression'],
    ['a(?=b)', 'lookahead and lookbehind are not supported'],
    ['(?<!b)a', 'lookahead and lookbehind are not supported'],
    ['(a)\\1', 'backreferences are not supported'],
    ['(?P<a>x)(?P=a)', 'backreferences are not supported'],
    ['a++', 'possessive quantifiers are not supported'],
    ['(?>a)', 'atomic groups are not supported'],
    ['x{5000}', 'not a valid regular expression'],
    ['x'.repeat(5000), 'at most 4096'],
  ])('refuses %.30s', (regex_pattern, problem) => {
    expect(() => parsed(RegexColumnType, { source: 'A', regex_pattern })).toThrow(problem);
  });

  it('takes the earlier key', () => {
    expect(parsed(RegexColumnType, { source: 'A', pattern: '[(?=]\\\\1' })).toMatchObject({
      regex_pattern: '[(?=]\\\\1',
    });
  });
});

describe('containsText', () => {
  it.each<[string, string, boolean]>([
    ['a'.repeat(20_000), `${'a'.repeat(5_000)}b`, false],
    [`${'ab'.repeat(10_000)}aab${'ab'.repeat(500)}`, `${'ab'.repeat(3_000)}aab`, true],
    [`x${'a'.repeat(10_000)}`, 'a'.repeat(10_000), true],
    ['a'.repeat(10_000), 'a'.repeat(10_001), false],
  ])('finds long texts in long texts', (text, needle, expected) => {
    expect(containsText(text, needle)).toBe(expected);
    expect(text.includes(needle)).toBe(expected);
  });
});
