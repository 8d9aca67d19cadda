import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Prompt } from '../../llm/blueprint.js';
import { FilterSemanticsError } from '../../platform/filters/errors.js';
import { partsIn, textsRequiredBy, wordsInside } from './phrase-prefilter.js';
import { matchesText, parseTextQuery, type RequiredWord, toTsquery } from './text-query.js';
import { foldText, wordsOf } from './words.js';
import { parseRequestFilter } from '../request-filters.js';

const base = { input_variables: [], template_format: 'f-string' as const };
const completion = (text: string): Prompt => ({ ...base, type: 'completion', content: [{ type: 'text', text }] });
const call = (input: string, output = '') => ({ input: completion(input), output: completion(output) });

/** "word" for a whole word, "word*" for a beginning, "one|other" for one of two. */
const written = (words: RequiredWord[]): string[] =>
  words.map((wanted) => {
    return 'anyOf' in wanted ? wanted.anyOf.join('|') : wanted.word + (wanted.prefix ? '*' : '');
  });

/** As many characters of a word as are indexed. */
const LONG = 'x'.repeat(100);
const NO_WORDS = new Map<string, string[]>();

/** The words of a vocabulary that have the parts which texts begin with. */
function wordsWith(texts: string[], vocabulary: string[]): Map<string, string[]> {
  const found = [...partsIn(texts)].map(([text, { part, isEnd }]): [string, string[]] => [
    text,
    vocabulary.filter((word) => (isEnd ? word.endsWith(part) : word.includes(part)) || Buffer.byteLength(word) >= 99),
  ]);
  return new Map(found);
}

function read(q: string | null) {
  const query = parseTextQuery(q);
  return query && { words: written(query.words), phrases: query.phrases.map(({ text }) => text) };
}

describe('the words of a text', () => {
  it.each([
    ["Don’t don't DONT donʼt", ['dont', 'dont', 'dont', 'dont']],
    ['a.*b (c) d-e', ['a', 'b', 'c', 'd', 'e']],
    ['snake_case 3.14 x²', ['snake_case', '3', '14', 'x2']],
    ['École हिन्दी Straße', ['école', 'हिन्दी', 'strasse']],
    ['東京 ひと abcカd สวัสดี', ['東', '京', 'ひ', 'と', 'abc', 'カ', 'd', 'ส', 'วั', 'ส', 'ดี']],
    ['İstanbul ΟΔΟΣ', ['istanbul', 'οδοσ']],
    ['Cafe\u0301 CAFÉ Việt Vie\u0323\u0302t', ['café', 'café', 'việt', 'việt']],
    ['ﾗｰﾒﾝ ＡＢＣ ﬁn ﻻ', ['ラ', 'ー', 'メ', 'ン', 'abc', 'fin', 'لا']],
    ['\u1112\u1161\u11ab\u1100\u116e\u11a8 STRASSE', ['한국', 'strasse']],
    ['$$ 🙂 —', []],
    ['x'.repeat(300), ['x'.repeat(100)]],
    [`${'x'.repeat(99)}𐐨𐐨`, ['x'.repeat(99)]],
  ])('of %j are %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are the same in a text and in parts of it that are cut between words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        expect(wordsOf(texts.join(' '))).toEqual(texts.flatMap(wordsOf));
      }),
    );
  });

  it('are the same when they are taken of their own words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        for (const word of wordsOf(text.toWellFormed())) expect(wordsOf(word)).toEqual([word]);
      }),
    );
  });
});

describe('a text query', () => {
  it.each([null, '', ' \n ', '""', '" "', '"'])('is none for %j', (q) => {
    expect(read(q)).toBeNull();
  });

  it.each([
    ['Hello, wor', { words: ['hello*', 'wor*'], phrases: [] }],
    ["don't don’t", { words: ['dont*'], phrases: [] }],
    ['"the Cat sat" mat', { words: ['the', 'cat', 'sat*', 'mat*'], phrases: ['the cat sat'] }],
    ['"cat"', { words: ['cat*'], phrases: [] }],
    ['"cat."', { words: ['cat*'], phrases: ['cat.'] }],
    [`"${LONG}x y"`, { words: [`${LONG}*`, 'y*'], phrases: [`${LONG}x y`] }],
    ['$$ 🙂 a', { words: ['a*'], phrases: ['$$', '🙂'] }],
    ['open "quote', { words: ['open*', 'quote*'], phrases: [] }],
  ])('of %j asks for %j', (q, expected) => {
    expect(read(q)).toEqual(expected);
  });

  it('refuses what would be too much work', () => {
    expect(() => parseTextQuery('x'.repeat(1001))).toThrow(FilterSemanticsError);
    expect(() => parseTextQuery('x '.repeat(51))).toThrow(FilterSemanticsError);
    expect(() => parseTextQuery('x '.repeat(50))).not.toThrow();
  });

  it('becomes a query over the index that holds nothing but words', () => {
    expect(toTsquery(7, parseTextQuery('ab "c d"')!.words)).toBe("'7:c' & '7:d':* & '7:ab':*");
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (q) => {
        const query = parseTextQuery(q);
        for (const { word } of query?.words ?? []) expect(word).not.toMatch(/['\\:&|!()<>*\s]/);
      }),
    );
  });

  it.each([
    ['hel wor', true],
    ['world hello', true],
    ['ello', false],
    ['"hello, world"', true],
    ['"hello world"', false],
    ['"lo, world"', false],
    ['"lo, world" lo', false],
    ['", wor"', true],
    ['"声 there"', false],
    ['hello there', true],
    ['hello nobody', false],
    ['!', true],
    ['?', false],
  ])('%j matches by words and phrases: %s', (q, expected) => {
    expect(matchesText(parseTextQuery(q)!, call('Hello, World!', 'there'))).toBe(expected);
  });

  it('finds words beyond those an index entry can hold', () => {
    const many = Array.from({ length: 25_000 }, (_, index) => `w${index}`).join(' ');
    expect(matchesText(parseTextQuery('w24999 the')!, call(many, 'the end'))).toBe(true);
    expect(matchesText(parseTextQuery('w25001')!, call(many, 'the end'))).toBe(false);
  });
});

describe('the words that a searched text must hold', () => {
  it.each([
    ['the quick brown fox', ['quick', 'brown', 'fox*']],
    ['quick', []],
    [' quick ', ['quick']],
    [' quic', ['quic*']],
    [' qu', []],
    ["x'quick brown.", ['brown']],
    [" 'quick'", ['quick*']],
    ['[user]: hello there', ['hello', 'there*']],
    ['\n\n[us', []],
    ['user]: hello ', ['hello']],
    ['東京に', ['東', '京', 'に*']],
    ['x東', ['東*']],
    [`${'ab'.repeat(60)}.aba`, ['aba*']],
  ])('%j: %j', (text, words) => {
    expect(written(wordsInside(text, NO_WORDS))).toEqual(words);
  });

  const fulfils = (word: string, wanted: RequiredWord) => {
    if ('anyOf' in wanted) return wanted.anyOf.includes(word);
    return word === wanted.word || (wanted.prefix && word.startsWith(wanted.word));
  };

  it('are words of every text that it stands in', () => {
    const long = 'ab'.repeat(60);
    const texts = fc.string({
      unit: fc.constantFrom('a', 'B', 'é', "'", '’', ' ', '.', '東', '_', '1', 'İ', 'Σ', '\n', 'abc', long),
    });
    fc.assert(
      fc.property(texts, texts, texts, (before, text, after) => {
        const words = wordsOf(before + text + after);
        for (const wanted of wordsInside(text, wordsWith([text], words))) {
          expect(words.some((word) => fulfils(word, wanted))).toBe(true);
        }
        expect(foldText(before + text + after)).toContain(foldText(text).replace(/\u0307/g, ''));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    ['owl', { part: 'owl', isEnd: false }],
    ["Owl's nest", { part: 'owls', isEnd: true }],
    [' owl', null],
    ['ow', null],
    ['東京', null],
    ['serve', { part: 'serve', isEnd: false }],
    ['ser', null],
    ['ser]: owl', null],
    ['ser owl', { part: 'ser', isEnd: true }],
    ['o'.repeat(101), null],
    ['o'.repeat(100), { part: 'o'.repeat(100), isEnd: false }],
  ])('may begin with a part of a word, %j: %j', (text, part) => {
    expect(partsIn([text]).get(text) ?? null).toEqual(part);
  });

  it('are those with the part that it begins with, where these are known', () => {
    const words = ['owl', 'owls', 'fowl', 'prowler', LONG];
    const inside = (text: string) => written(wordsInside(text, wordsWith([text], words)));
    expect(inside('owl')).toEqual([['owl', 'owls', 'fowl', 'prowler', LONG].join('|')]);
    expect(inside('owl, black')).toEqual([['owl', 'fowl', LONG].join('|'), 'black*']);
    expect(toTsquery(7, [{ anyOf: ['owl', 'fowl'] }, { word: 'black', prefix: true }])).toBe(
      "('7:owl' | '7:fowl') & '7:black':*",
    );
    expect(toTsquery(7, [{ anyOf: [] }])).toBe("'7:'");
  });

  it('are looked for only where a condition must be fulfilled', () => {
    const leaf = { field: 'input_text', operator: 'contains', value: 'some 100% sure' };
    const owl = { ...leaf, operator: 'ends_with', value: ' owl' };
    const other = { ...leaf, field: 'thinking_text' };
    const either = (...filters: object[]) => ({ logic: 'OR', filters });
    const textsOf = (group: object) => textsRequiredBy(parseRequestFilter(group, [])!);
    expect(textsOf({ filters: [leaf, other] })).toEqual(['some 100% sure']);
    expect(textsOf({ filters: [{ ...leaf, operator: 'not_contains' }] })).toEqual([]);
    expect(textsOf(either(leaf, owl))).toEqual(['some 100% sure', ' owl']);
    expect(textsOf(either(leaf, other))).toEqual([]);
  });
});
