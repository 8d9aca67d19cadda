import { describe, expect, it } from 'vitest';
import { EvaluationError } from './evaluation-error.js';
import { compilePattern, findAll, MAX_PATTERN_SIZE, searchPattern } from './pattern.js';
import { sizeOfPattern } from './pattern-size.js';

const matches = (pattern: string, text: string) => findAll(compilePattern(pattern), text, 0);

/** Expected values are those of `[m.group(0) for m in re.finditer(pattern, text)]` in Python. */
describe('a pattern means what it means in Python', () => {
  it.each([
    [String.raw`\bÜberprüfung\b`, 'Überprüfung, Vorüberprüfung 123', ['Überprüfung']],
    [String.raw`\bМосква\b`, 'Москва и не Москваxyz', ['Москва']],
    [String.raw`\bno\b`, 'noé no éno', ['no']],
    [String.raw`\B\w`, 'é cafés', ['a', 'f', 'é', 's']],
    [String.raw`\b\w{,3}\b`, 'été étés', ['été', '', '', '']],
    [String.raw`[^\W\d]+`, 'Straße1 ü2_x', ['Straße', 'ü', '_x']],
    [String.raw`[^\W\d_]+`, 'Straße1 ü2_x', ['Straße', 'ü', 'x']],
    [String.raw`[\W\d]+`, 'é1, ü', ['1, ']],
    [String.raw`[^\w]+`, 'é — ü', [' — ']],
    [String.raw`[\D]+`, '٣ab१', ['ab']],
    [String.raw`\d+`, '१२३ ٣٤ 5', ['१२३', '٣٤', '5']],
    [String.raw`\w+`, 'cafe\u0301 日本 한국 ½', ['cafe', '日本', '한국', '½']],
    [String.raw`\S+`, 'a\u00a0b\u2003c\u0085d', ['a', 'b', 'c', 'd']],
    [String.raw`[\S]+`, 'a\u00a0b', ['a', 'b']],
    [String.raw`(?i)\büber\w*`, 'ÜBERALL über', ['ÜBERALL', 'über']],
    [String.raw`(?a)\w+`, 'Überé x', ['ber', 'x']],
    [String.raw`(?a)\bber`, 'Über', ['ber']],
    [String.raw`(?ai)[^\W\d]+`, 'ß STRASSE ss', ['STRASSE', 'ss']],
    [String.raw`(?a:\w+)\b`, 'aé b', ['b']],
    [String.raw`\bi\b`, 'İ ı i', ['i']],
    [String.raw`\b한국어\b`, '한국어 한국어를', ['한국어']],
    [String.raw`[]é]+\b`, ']é ]', [']é']],
    [String.raw`\u00e9\b`, 'é éa', ['é']],
    [String.raw`\b50\%`, 'é50% 50%', ['50%']],
    [String.raw`\b"\w+"`, 'é"a" "b"', ['"a"']],
    [String.raw`\A\w+\b|\b\w+\Z`, 'é ü ö', ['é', 'ö']],
    [String.raw`\b\w+(?#the end)\b`, 'éa', ['éa']],
  ])('%s in %j', (pattern, text, found) => {
    expect(matches(pattern, text)).toEqual(found);
    expect(searchPattern(compilePattern(pattern), text)).toBe(found.length > 0);
  });
});

it('gives the groups of a match beside letters of any language', () => {
  expect(findAll(compilePattern(String.raw`(?P<first>\b\w)(\w*)\b`), 'été ü', null)).toEqual([
    ['é', 'té'],
    ['ü', ''],
  ]);
});

it.each([
  String.raw`(\bé`,
  String.raw`\bé)`,
  String.raw`[\bé`,
  String.raw`\U99999999\b`,
  '(?z)a',
  String.raw`(?<=é)\b`,
])('refuses %s', (pattern) => {
  expect(() => compilePattern(pattern)).toThrow(EvaluationError);
});

it.each(['a{1000}'.repeat(500), '(ab{2,9}){100}'.repeat(200), '\\w{500,}'.repeat(300), String.raw`[\W]`.repeat(500)])(
  'refuses a pattern that takes long to compile',
  (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(/repeats too much/);
  },
);

it.each(['a{1000}'.repeat(50), '(?:[a-z]{1,63}\\.){1,10}[a-z]{2,}', '(?i)(?#a (comment)x{2', String.raw`[\W\d]{3}`])(
  'judges other patterns by what they mean',
  (pattern) => {
    expect(sizeOfPattern(pattern)).toBeLessThan(MAX_PATTERN_SIZE);
  },
);

it('finds quickly that there is no match where backtracking would not end', () => {
  expect(matches(String.raw`\b(a+)+\bü`, `é ${'a'.repeat(50)}`)).toEqual([]);
});
