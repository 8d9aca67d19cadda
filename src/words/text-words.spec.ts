import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type TextWords, textWords } from './text-words.js';
import { wordHash } from './word-hash.js';
import { cutWord, uncutWordsOf, wordsOf } from './words.js';

function* eachOf(words: TextWords): Generator<TextWords> {
  while (words.next()) yield words;
}

const read = (text: string) => Array.from(eachOf(textWords(text)), ({ word }) => word);

const ASCII = fc.string({ unit: fc.constantFrom(...`abcXYZ019_'" .,-\n`, 'long'.repeat(20)), maxLength: 300 });
const ANY = fc.oneof(ASCII, fc.string({ unit: 'grapheme' }), fc.string({ unit: fc.constantFrom(...`aB' é東ςÏ`) }));

describe('the words of a text', () => {
  it.each([
    ["Don't STOP, it's 9_to_5!", ['dont', 'stop', 'its', '9_to_5']],
    ["'tis the dogs' bone '", ['tis', 'the', 'dogs', 'bone']],
    ['', []],
    [`${'x'.repeat(150)} y`, ['x'.repeat(100), 'y']],
    [`${"x'".repeat(150)}Z`, ['x'.repeat(100)]],
    ['naïve 東京', ['naïve', '東', '京']],
  ])('are found in %j', (text, words) => {
    expect(read(text)).toEqual(words);
  });

  it('are those of wordsOf, with their hashes', () => {
    fc.assert(
      fc.property(ANY, (text) => {
        const found = Array.from(eachOf(textWords(text)), ({ word, hash }) => ({ word, hash }));
        const expected = uncutWordsOf(text).map((uncut) => {
          const word = cutWord(uncut);
          return { word, hash: wordHash(word) };
        });
        expect(found).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('are nothing but themselves', () => {
    fc.assert(
      fc.property(ASCII, ASCII, (text, other) => {
        for (const found of eachOf(textWords(text))) {
          for (const word of wordsOf(`${other} ${found.word}`)) expect(found.is(word)).toBe(word === found.word);
        }
      }),
    );
  });
});
