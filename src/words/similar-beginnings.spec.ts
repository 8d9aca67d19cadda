import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimilarBeginnings } from './similar-beginnings.js';

const LETTERS = [...'abcd'];

/** The definition: the number of edits between two words, with exchanged neighbours as one. */
function distance(from: string, to: string): number {
  if (from === '' || to === '') return from.length + to.length;
  const counts = [
    distance(from.slice(1), to) + 1,
    distance(from, to.slice(1)) + 1,
    distance(from.slice(1), to.slice(1)) + (from[0] === to[0] ? 0 : 1),
  ];
  if (from.length > 1 && to.length > 1 && from[0] === to[1] && from[1] === to[0]) {
    counts.push(distance(from.slice(2), to.slice(2)) + 1);
  }
  return Math.min(...counts);
}

const beginningsOf = (word: string) => Array.from(word, (_, index) => word.slice(0, index + 1));

describe('what is similar to a word', () => {
  it('begins with a text within one edit, after the same letter', () => {
    const word = (sizes: { minLength: number; maxLength: number }) =>
      fc.array(fc.constantFrom(...LETTERS), sizes).map((letters) => letters.join(''));
    fc.assert(
      fc.property(word({ minLength: 4, maxLength: 6 }), word({ minLength: 1, maxLength: 8 }), (asked, other) => {
        const expected = beginningsOf(other).some(
          (start) =>
            start[0] === asked[0] &&
            start.length >= 4 &&
            !start.startsWith(asked) &&
            distance(asked.slice(1), start.slice(1)) === 1,
        );
        expect(SimilarBeginnings.of(asked).begin(other)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['refudn', 'refund'],
    ['refnd', 'refunding'],
    ['cafe', 'café'],
    ['señor', 'senor'],
    ['strase', 'straße'],
    ['привт', 'привет'],
    ['καλμέρα', 'καλημέρα'],
    ['שלםו', 'שלום'],
    ['𝒳𝒴𝒵𝒴', '𝒳𝒴𝒴𝒵'],
  ])('%j matches %j', (asked, meant) => {
    expect(SimilarBeginnings.has(asked)).toBe(true);
    expect(SimilarBeginnings.of(asked).begin(meant)).toBe(true);
  });

  it.each(['cat', 'a1bcd', '48213', 'snake_case', '東', 'x'.repeat(25), ''])('is nothing for %j', (word) => {
    expect(SimilarBeginnings.has(word)).toBe(false);
  });

  it('is looked up by the shortest known beginnings', () => {
    const { known } = SimilarBeginnings.of('refudn').knownAs(new Set(['refu', 'refud', 'refund', 'refun', 'rfudn']));
    expect(known.toSorted()).toEqual(['refud', 'refun', 'rfudn'].toSorted());
  });
});
