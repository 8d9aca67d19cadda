import type { PhraseWord } from '../questions/question.js';
import { isLoneWord, type PlacedWord, placedWordsOf } from './words.js';

/** Words that stand beside each other. */
export type WordSequence = readonly PhraseWord[];

/** A shorter beginning stands for too many words. */
const SHORTEST = 3;

interface SequenceOptions {
  /**
   * What the first word is: one by itself, the end of one of some words, or the end of nobody knows which. The last one may be the
   * beginning of a longer one.
   */
  first: 'whole' | 'unknown' | readonly string[];
}

/** The words that stand beside each other in every text that a folded text stands in. Lines may be texts of their own. */
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

/** Null when nothing is known of it. */
function wordAt(folded: string, { word, start, end }: PlacedWord, { first }: SequenceOptions): PhraseWord | null {
  const isLone = isLoneWord(word);
  if (start === 0 && first !== 'whole' && !isLone) return first === 'unknown' ? null : { anyOf: first };
  // What is longer than words of the index was cut there.
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
