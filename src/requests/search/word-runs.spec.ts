import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsInside } from './phrase-prefilter.js';
import { runsIn } from './phrase-runs.js';
import { textWords } from './text-words.js';
import { pairOf, placesOf, tripleOf, type WordRun, WordRuns } from './word-runs.js';
import { foldText } from './words.js';

function filterOf(...texts: string[]): Uint8Array | null {
  const runs = new WordRuns();
  for (const text of texts) {
    const words = textWords(text);
    runs.startText();
    while (words.next()) runs.add(words);
  }
  return runs.toFilter();
}

/** As the database looks at a filter. */
function holds(filter: Uint8Array, run: WordRun): boolean {
  return placesOf(run).every((place) => {
    const at = place & (filter.length * 8 - 1);
    return (filter[at >> 3]! & (1 << (at & 7))) !== 0;
  });
}

const runOf = (words: string[]): WordRun =>
  words.length === 2 ? pairOf(words[0]!, words[1]!) : tripleOf(words[0]!, words[1]!, words[2]!);

const numbered = (count: number, prefix = 'w') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('the runs of words', () => {
  it.each([
    [
      'the quick brown fox',
      [
        ['quick', 'brown'],
        ['quick', 'brown', 'fox'],
        ['brown', 'fox'],
      ],
    ],
    [
      'quick brown fox',
      [
        ['quick', 'brown', 'fox'],
        ['brown', 'fox'],
      ],
    ],
    ['quick brown fo', []],
    ['ick brown fox', [['brown', 'fox']]],
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
        ['hello', 'there', 'you'],
        ['there', 'you'],
      ],
    ],
    [
      '東京に',
      [
        ['東', '京'],
        ['東', '京', 'に'],
        ['京', 'に'],
      ],
    ],
    ['ab東', []],
  ])('of every text with %j inside', (text, runs) => {
    expect(runsInside(text)).toEqual(runs.map(runOf));
  });

  it('of a phrase begin with its first word', () => {
    expect(runsIn('quick brown fox', { startsWord: true })).toEqual([
      pairOf('quick', 'bro'),
      tripleOf('quick', 'brown', 'foxes'),
      pairOf('brown', 'foxes'),
    ]);
    expect(runsIn('a b c', { startsWord: true })).toEqual([pairOf('a', 'b')]);
  });

  it('are told apart by whole words and the beginning of the last', () => {
    expect(pairOf('quick', 'brown')).toEqual(pairOf('quick', 'bro'));
    const others = [pairOf('quic', 'brown'), pairOf('quick', 'br'), pairOf('brown', 'quick'), pairOf('quickb', 'rown')];
    for (const other of others) expect(other).not.toEqual(pairOf('quick', 'brown'));
    expect(tripleOf('the', 'quick', 'brown')).toEqual(tripleOf('the', 'quick', 'bro'));
    expect(tripleOf('unlikely', 'quick', 'brown')).toEqual(tripleOf('kely', 'quick', 'bro'));
    const otherTriples = [
      tripleOf('the', 'quic', 'brown'),
      tripleOf('quick', 'the', 'brown'),
      tripleOf('he', 'quick', 'brown'),
    ];
    for (const other of otherTriples) expect(other).not.toEqual(tripleOf('the', 'quick', 'brown'));
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
    'z'.repeat(60),
    '🙂é'.repeat(30),
  ];
  const texts = fc.string({ unit: fc.constantFrom(...units) });

  it('are in the filter of every text that a text stands in', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, text, after) => {
        // A mark that follows makes another letter of the last one.
        fc.pre(foldText(before + text + after).includes(foldText(text)));
        const filter = filterOf(...(before + text + after).split('\n'))!;
        for (const run of runsInside(text)) expect(holds(filter, run)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('are in the filter of every text in which a phrase begins a word', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, given, after) => {
        const phrase = foldText(given).trim();
        fc.pre(foldText(phrase + after).startsWith(phrase));
        const filter = filterOf(...`${before} ${phrase}${after}`.split('\n'))!;
        for (const run of runsIn(phrase, { startsWord: true })) expect(holds(filter, run)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('a filter of runs', () => {
  it.each([2, 30, 500, 8000])('of %i words is small and seldom wrong', (count) => {
    const filter = filterOf(numbered(count).join(' '))!;
    expect(filter.length * 8).toBeLessThanOrEqual(Math.max(64, 16 * count));
    const others = numbered(1000, 'x').map((word) => pairOf(word, 'some'));
    expect(others.filter((pair) => holds(filter, pair)).length).toBeLessThan(200);
  });

  it('tells a phrase from texts that have its pairs apart from each other', () => {
    const [first, second, third] = ['so', 'it', 'goes'] as const;
    const apart = Array.from({ length: 200 }, (_, at) => `n${at} ${first} ${second} m${at}, n${at} ${second} ${third}`);
    const triple = tripleOf(first, second, third);
    expect(apart.filter((text) => holds(filterOf(text)!, triple)).length).toBeLessThan(100);
    for (const pair of [pairOf(first, second), pairOf(second, third)])
      expect(holds(filterOf(apart[0]!)!, pair)).toBe(true);
  });

  it('is empty without runs, and there is none of too many', () => {
    expect(filterOf('word', '')).toEqual(new Uint8Array(8));
    expect(filterOf(numbered(100_000).join(' '))).toBeNull();
  });
});
