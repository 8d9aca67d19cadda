import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../platform/json.js';
import { formatFString, fStringVariables } from './f-string.js';

const variables: JsonObject = {
  name: 'Ada',
  n: 5,
  f: 1234.567,
  yes: true,
  nothing: null,
  list: [1, 'two'],
  object: { k: [true] },
  'a.b': 'dotted',
  'a[0]': 'indexed',
  width: 6,
  wide: 'é😀',
  quoted: "it's",
  braces: '{name}',
};

describe('format texts', () => {
  it.each([
    ['Hello {name}!', 'Hello Ada!'],
    ['{{name}} {{{name}}} }}', '{name} {Ada} }'],
    ['{a.b} {a[0]}', 'dotted indexed'],
    ['{missing}|{nothing}|{name.x}', '||'],
    ['{yes} {list} {object}', 'True [1,"two"] {"k":[true]}'],
    ['{braces}', '{name}'],
    ['{name!r} {quoted!r} {wide!a} {list!r} {name!s:>5}', "'Ada' \"it's\" '\\xe9\\U0001f600' [1, 'two']   Ada"],
    [
      '[{name:>6}][{name:<6}][{name:^6}][{name:*^7}][{name:.2}][{name:6.1s}]',
      '[   Ada][Ada   ][ Ada  ][**Ada**][Ad][A     ]',
    ],
    ['{n:03d} {n:+} {n:,} {n:.2f} {n:%} {n:e} {n:x} {n:b}', '005 +5 5 5.00 500.000000% 5.000000e+00 5 101'],
    [
      '{f:,.2f} {f:_.1f} {f:.0f} {f:g} {f:10.1f}| {f:<10.1f}| {f:010.1f} {f}',
      '1,234.57 1_234.6 1235 1234.57     1234.6| 1234.6    | 00001234.6 1234.567',
    ],
    ['{yes:d} {yes:>6}', '1      1'],
    ['{wide:>4}', '  é😀'],
    ['{name:{width}}|{n:0{width}d}', 'Ada   |000005'],
    ['a {name} b {name}', 'a Ada b Ada'],
    ['function f() { return 1 }', 'function f() '],
  ])('%s', (text, expected) => {
    expect(formatFString(text, variables).text).toBe(expected);
  });

  const NO_FIELDS = expect.stringContaining('Double those') as unknown;
  const NO_FIT = expect.stringContaining('does not fit') as unknown;
  it.each([
    ['{"a": 1}', null],
    ['{"a":1}', null],
    ['function f() {\n  return 1;\n}', null],
    ['Answer in JSON: {"name": "{name}", "list": []}', NO_FIELDS],
    ['Example: {"a": {"b": 1}} for {name}', NO_FIELDS],
    ['Write {{name}} and {""} for {name!r}', NO_FIELDS],
    ['{"a": {"b": 1}}', null],
    ['{} and {name}', NO_FIELDS],
    ['{0} and {name}', NO_FIELDS],
    ['{} and {0}', null],
    ['{} and {{name}}', null],
    ['{name', null],
    ['name} {name}', NO_FIELDS],
    ['{name!x}', NO_FIELDS],
    ['{name!r!r}', NO_FIELDS],
    ['{name!}', NO_FIELDS],
    ['{name:d}', NO_FIT],
    ['{name:=5}', NO_FIT],
    ['{n:.2d}', NO_FIT],
    ['{n:s}', NO_FIT],
    ['{list:>5}', NO_FIELDS],
    ['{missing:.2f}', NO_FIT],
    ['{name:{width:{n}}}', NO_FIELDS],
    ['{name:999999999}', NO_FIT],
    ['{f:.101f}', NO_FIT],
  ])('cannot be formatted and stays unchanged: %s', (text, problem) => {
    expect(formatFString(text, variables)).toEqual({ text, isTooLong: false, missing: [], problem });
  });

  it('names missing variables once, in the order of the text, but no null', () => {
    expect(formatFString('{b}{a}{nothing}{b}{name:{c}}', variables).missing).toEqual(['b', 'a', 'c']);
  });

  it('ignores inherited properties of objects', () => {
    expect(formatFString('[{constructor}{toString}{__proto__}]', {})).toMatchObject({
      text: '[]',
      missing: ['constructor', 'toString', '__proto__'],
    });
  });

  it.each([
    ['{b}{a}{b}', ['b', 'a']],
    ['{x:>5}{y!r}{x:{w}}{a.b}{a[0]}', ['x', 'y', 'w', 'a.b', 'a[0]']],
    ['{{x}}', []],
    ['{"a": 1}', []],
    ['{"a": "{b}", "c": {d!r:>5}} {b} {{e}} {}', ['b', 'd']],
    ['{', []],
    ['{}', []],
    ['none', []],
  ])('has the variables of %s', (text, names) => {
    expect(fStringVariables(text)).toEqual(names);
  });

  it.each([
    '{'.repeat(1_000_001),
    '}'.repeat(1_000_001),
    '{a'.repeat(500_000),
    '{a:{'.repeat(250_000),
    '{' + '['.repeat(1_000_000) + '}',
    '{' + '[a]'.repeat(300_000) + '!}',
    '{' + 'a!'.repeat(500_000) + '}',
    '{' + '{a '.repeat(300_000) + '}',
    '{}' + '{' + 'a'.repeat(1_000_000),
  ])('reads a megabyte of braces in one go: %.10s', (text) => {
    expect(formatFString(text, {}).text).toBe(text);
  });

  it('does not grow without bounds', () => {
    const text = '{name:9999}'.repeat(100_000);
    expect(formatFString(text, variables)).toEqual({ text, isTooLong: true, missing: [], problem: null });
    expect(formatFString('{name}{name}', variables, 5)).toMatchObject({ text: '{name}{name}', isTooLong: true });
    expect(formatFString('{name}{name}', variables, 6)).toMatchObject({ text: 'AdaAda', isTooLong: false });
  });
});
