const SYLLABLES = [
  'ba',
  'cor',
  'den',
  'fi',
  'gal',
  'hu',
  'jin',
  'kel',
  'lo',
  'mar',
  'nes',
  'pi',
  'quo',
  'rul',
  'sa',
  'tev',
];
const WORDS = 20_000;

/** Words by their rank: the n-th is used about 1/n as often as the first, as in natural language. */
const RANKED = Array.from({ length: WORDS }, (_, rank) => wordOf(rank));
const SUMS = cumulated(RANKED.map((_, rank) => 1 / (rank + 3)));

let state = 42;

/** A text of so many characters. The same calls in the same order give the same texts. */
export function prose(length: number): string {
  let text = '';
  while (text.length < length) text += `${RANKED[rankAt(random() * SUMS.at(-1)!)]} `;
  return text.slice(0, length).trimEnd();
}

/** Words of some texts, by frequency. */
export interface Vocabulary {
  /** In one or two of the texts. */
  rare: string[];
  /** In about one of a hundred. */
  medium: string[];
  /** In about a third. */
  common: string[];
  /** Three words that stand beside each other in a text; one of them is in about one of a hundred texts. */
  phrases: string[];
  /** The same of words that are in most texts. */
  commonPhrases: string[];
}

export function vocabularyOf(texts: string[]): Vocabulary {
  const texted = new Map<string, number>();
  for (const text of texts) for (const word of new Set(text.split(' '))) texted.set(word, (texted.get(word) ?? 0) + 1);
  const between = (low: number, high: number) =>
    [...texted].filter(([word, count]) => word.length > 3 && count >= low && count <= high).map(([word]) => word);
  const third = texts.length / 3;
  const medium = between(texts.length / 150, texts.length / 70);
  return {
    rare: between(1, 2),
    medium,
    common: between(third / 1.5, third * 1.5),
    phrases: phrasesOf(texts, (words) => words.some((word) => medium.includes(word))),
    commonPhrases: phrasesOf(texts, (words) => words.every((word) => texted.get(word)! > texts.length / 2)),
  };
}

/** One of each of some texts. */
function phrasesOf(texts: string[], fits: (words: string[]) => boolean): string[] {
  return texts.slice(0, 50).flatMap((text) => {
    const words = text.split(' ');
    const starts = words.map((_, at) => at).slice(0, -3);
    const start = starts.find((at) => fits(words.slice(at, at + 3)));
    return start === undefined ? [] : [words.slice(start, start + 3).join(' ')];
  });
}

function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 16; rest > 0; rest = Math.floor(rest / 16)) word += SYLLABLES[rest % 16];
  return word;
}

function cumulated(weights: number[]): number[] {
  let sum = 0;
  return weights.map((weight) => (sum += weight));
}

function rankAt(point: number): number {
  let [low, high] = [0, SUMS.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (SUMS[middle]! < point) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A linear congruential generator: seeded, unlike Math.random. */
export function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
