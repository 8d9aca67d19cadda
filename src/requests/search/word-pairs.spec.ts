import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pairsIn } from './phrase-pairs.js';
import { pairsInside } from './phrase-prefilter.js';
import { textWords } from './text-words.js';
import { pairOf, WordPairs } from './word-pairs.js';
import { foldText } from './words.js';

function filterOf(...texts: string[]): Uint8Array | null {
  const pairs = new WordPairs();
  for (const text of texts) {
    const words = textWords(text);
    for (let last: number | null = null; words.next(); last = words.hash) {
      if (last !== null) pairs.add(last, words.beginning);
    }
  }
  return pairs.toFilter();
}

/** As the database looks at a filter. */
function holds(filter: Uint8Array, pair: number): boolean {
  return [pair & 0xffff, pair >>> 16].every((place) => {
    const at = place & (filter.length * 8 - 1);
    return (filter[at >> 3]! & (1 << (at & 7))) !== 0;
  });
}

const numbered = (count: number, prefix = 'w') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the pairs of words', () => {
  it.each([
    [
      'the quick brown fox',
      [
        ['quick', 'brown'],
        ['brown', 'fox'],
      ],
    ],
    ['quick brown fo', []],
    ['the quick br.', [['quick', 'br']]],
    ['the quick b', []],
    [' quick brown', [['quick', 'brown']]],
    ["it's quick, don't", [['quick', 'dont']]],
    ['some words\nof lines', [['of', 'lines']]],
    ['some words\nlines', []],
    [
      'bye now\n\n[user]: hello there you',
      [
        ['hello', 'there'],
        ['there', 'you'],
      ],
    ],
    [
      '東京に',
      [
        ['東', '京'],
        ['京', 'に'],
      ],
    ],
    ['ab東', []],
  ])('of every text with %j inside', (text, pairs) => {
    expect(pairsInside(text)).toEqual(pairs.map(([word, next]) => pairOf(word!, next!)));
  });

  it('of a phrase begin with its first word', () => {
    expect(pairsIn('quick brown fox', { startsWord: true })).toEqual([
      pairOf('quick', 'bro'),
      pairOf('brown', 'foxes'),
    ]);
    expect(pairsIn('a b c', { startsWord: true })).toEqual([pairOf('a', 'b')]);
  });

  it('are told apart by the whole first and the beginning of the second', () => {
    expect(pairOf('quick', 'brown')).toBe(pairOf('quick', 'bro'));
    const others = [pairOf('quic', 'brown'), pairOf('quick', 'br'), pairOf('brown', 'quick'), pairOf('quickb', 'rown')];
    for (const other of others) expect(other).not.toBe(pairOf('quick', 'brown'));
  });

  const units = [
    'a',
    'B',
    'é',
    "'",
    ' ',
    '.',
    '東',
    '_',
    'İ',
    'Σ',
    '\n',
    '[',
    ']',
    '\u0301',
    'abc ',
    ' x y',
    'か\u3099',
  ];
  const texts = fc.string({ unit: fc.constantFrom(...units) });

  it('are in the filter of every text that a text stands in', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, text, after) => {
        const filter = filterOf(...(before + text + after).split('\n'))!;
        for (const pair of pairsInside(text)) expect(holds(filter, pair)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('are in the filter of every text in which a phrase begins a word', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, given, after) => {
        const phrase = foldText(given).trim();
        const filter = filterOf(...`${before} ${phrase}${after}`.split('\n'))!;
        for (const pair of pairsIn(phrase, { startsWord: true })) expect(holds(filter, pair)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a filter of pairs', () => {
  it.each([2, 30, 500, 8000])('of %i words is small and seldom wrong', (count) => {
    const filter = filterOf(numbered(count).join(' '))!;
    expect(filter.length * 8).toBeLessThanOrEqual(Math.max(64, 16 * count));
    const others = numbered(1000, 'x').map((word) => pairOf(word, 'some'));
    expect(others.filter((pair) => holds(filter, pair)).length).toBeLessThan(200);
  });

  it('is empty without pairs, and there is none of too many', () => {
    expect(filterOf('word', '')).toEqual(new Uint8Array(8));
    expect(filterOf(numbered(100_000).join(' '))).toBeNull();
  });
});
