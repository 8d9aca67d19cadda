import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../platform/json.js';
import { placeholdersIn, questionsOf, withValues } from './questions.js';

describe('the questions of a prompt', () => {
  it.each<[JsonValue, string[]]>([
    ['Is it?', ['Is it?']],
    ['["A?", "B?", "A?"]', ['A?', 'B?']],
    [' \n["A?"]', ['A?']],
    [['A?'], ['A?']],
    ['[not JSON', ['[not JSON']],
    ['{"a": 1}', ['{"a": 1}']],
    [{ a: 1 }, ['{"a":1}']],
    [true, ['true']],
  ])('%j are %j', (prompt, expected) => expect(questionsOf(prompt)).toEqual(expected));

  it.each<JsonValue>([null, '', ' ', '[]', '[""]', '["A?", null]', [['A?']], '[1]'])('%j has none', (prompt) => {
    expect(() => questionsOf(prompt)).toThrow(/question/);
  });
});

describe('placeholders', () => {
  it.each<[string, string[]]>([
    ['{a} and {b_2} and {a}', ['a', 'b_2']],
    ['{ größe } {user name} {a.b-c}', ['größe', 'user name', 'a.b-c']],
    ['{{a}} {"a": 1} {2,3} {} {\n} { {b} }', ['b']],
    ['{{{a}}}', []],
  ])('found in %j are %j', (text, expected) => expect(placeholdersIn(text)).toEqual(expected));

  it.each<[string, string]>([
    ['{a}!', 'x {b}!'],
    ['{ a }{b}', 'x {b}[1,"y"]'],
    ['{2,3} {1}', '{2,3} one'],
    ['{none}', ''],
    ['{{a}} {other}', '{{a}} {other}'],
  ])('%j becomes %j', (text, expected) => {
    const values = new Map<string, JsonValue>([
      ['a', 'x {b}'],
      ['b', [1, 'y']],
      ['1', 'one'],
      ['none', null],
    ]);
    expect(withValues(text, values)).toBe(expected);
  });
});
