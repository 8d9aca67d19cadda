import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilterSemanticsError } from '../platform/filters/errors.js';
import { partsIn } from './parts-of-words.js';
import { parseTextQuery, type WantedWord } from './text-query.js';
import { wordsOf } from './words.js';

/** "word" for a whole word, "word*" for a beginning. */
const written = (words: WantedWord[]): string[] => words.map(({ word, prefix }) => word + (prefix ? '*' : ''));

/** The longest indexed word. */
const LONG = 'x'.repeat(100);
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
  ])('are found in %j: %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are the same in a text and in its parts, split between words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (texts) => {
        expect(wordsOf(texts.join(' '))).toEqual(texts.flatMap(wordsOf));
      }),
    );
  });

  it('are the same for the text of their own words', () => {
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
  ])('for %j asks for %j', (q, expected) => {
    expect(read(q)).toEqual(expected);
  });

  it('refuses a query that is too long', () => {
    expect(() => parseTextQuery('x'.repeat(1001))).toThrow(FilterSemanticsError);
    expect(() => parseTextQuery('x '.repeat(51))).toThrow(FilterSemanticsError);
    expect(() => parseTextQuery('x '.repeat(50))).not.toThrow();
  });

  it('contains nothing but words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (q) => {
        const query = parseTextQuery(q);
        for (const { word } of query?.words ?? []) expect(word).not.toMatch(/['\\:&|!()<>*\s]/);
      }),
    );
  });
});

describe('a searched text', () => {
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
});
