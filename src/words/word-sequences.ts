import { isLoneWord, type PlacedWord, placedWordsOf } from './words.js';

/** A term, any term with a beginning, or any of several terms. */
export type PhraseWord = { term: string } | { beginning: string } | { anyOf: readonly string[] };

/** Adjacent words. */
export type WordSequence = readonly PhraseWord[];

/** Shorter beginnings match too many words. */
const SHORTEST = 3;

interface SequenceOptions {
  /**
   * The first word: a whole word, the end of one of some words, or the end of an unknown word. The last word may be the beginning
   * of a longer one.
   */
  first: 'whole' | 'unknown' | readonly string[];
}

/** The adjacent words in every text that contains a folded text. Lines may be texts of their own. */
export function sequencesIn(folded: string, options: SequenceOptions): WordSequence[] {
  const sequences: PhraseWord[][] = [[]];
  let last: PlacedWord | null = null;
  for (const placed of placedWordsOf(folded)) {
    if (last && !areNeighbours(folded, last, placed)) sequences.push([]);
    last = placed;
    const word = isRole(folded, placed) ? null : wordAt(folded, placed, options);
    if (word) sequences.at(-1)!.push(word);
    else sequences.push([]);
  }
  return sequences.filter(({ length }) => length > 0);
}

/** Null for an unknown word. */
function wordAt(folded: string, { word, start, end }: PlacedWord, { first }: SequenceOptions): PhraseWord | null {
  const isLone = isLoneWord(word);
  if (start === 0 && first !== 'whole' && !isLone) return first === 'unknown' ? null : { anyOf: first };
  // A longer word was truncated in the index.
  if (end - start > word.length) return { beginning: word };
  if (end < folded.length) return { term: word };
  return word.length >= SHORTEST || isLone ? { beginning: word } : null;
}

/** Whether two words of a phrase must follow each other in a text. */
function areNeighbours(folded: string, word: PlacedWord, next: PlacedWord): boolean {
  return !isRole(folded, word) && !isRole(folded, next) && !folded.slice(word.end, next.start).includes('\n');
}

/** Next to a bracket a word may be the role in "[user]: ", which is in no index. */
export function isRole(folded: string, { start, end }: PlacedWord): boolean {
  return folded[start - 1] === '[' || folded[end] === ']';
}
