import { isWord } from '../segments/add-text.js';
import type { PhraseWord } from '../../words/index.js';

/** A condition on the documents of an index. */
export type Question =
  | { all: readonly Question[] }
  | { any: readonly Question[] }
  | { not: Question }
  /** Some part of the document has the word. */
  | PhraseWord
  /** Words are adjacent in this order in one text. */
  | { phrase: readonly PhraseWord[] }
  /** One part of the document meets the whole question. */
  | { part: Question }
  | ValueBetween;

/** A value of the document is between two numbers; null is no limit. Missing values never match. */
export interface ValueBetween {
  value: string;
  from: number | null;
  to: number | null;
  /** Whether the limits are excluded. */
  isOpen?: boolean;
}

/** Terms in the order of their bytes, from `low` up to and without `high`. */
export interface TermRange {
  low: string;
  high: string;
}

/** Occurs in no term. */
const NOTHING_LESS = '\u0001';

/** The terms of a word. */
export function rangesOfWord(word: PhraseWord): TermRange[] {
  if ('beginning' in word) return [{ low: word.beginning, high: `${word.beginning}\u{10ffff}` }];
  const terms = 'term' in word ? [word.term] : word.anyOf;
  return terms.map((term) => ({ low: term, high: term + NOTHING_LESS }));
}

/** A word, or a beginning of words, that lists of words are searched for. */
export interface ListedWord extends TermRange {
  isWhole: boolean;
}

/** Lists contain no exact values; and words from the vocabulary are searched as terms. */
function listedWordsOf(word: PhraseWord): ListedWord[] {
  if ('anyOf' in word || ('term' in word && !isWord(word.term))) return [];
  return rangesOfWord(word).map((range) => ({ ...range, isWhole: 'term' in word }));
}

export const keyOf = ({ low, high }: TermRange): string => `${low}\u0000${high}`;

/** All ranges that a question needs, each once. */
export function rangesOf(question: Question): {
  ranges: TermRange[];
  listed: ListedWord[];
  values: string[];
  places: boolean;
} {
  const ranges = new Map<string, TermRange>();
  const listed = new Map<string, ListedWord>();
  const values = new Set<string>();
  let places = false;
  const visit = (asked: Question): void => {
    if ('all' in asked) asked.all.forEach(visit);
    else if ('any' in asked) asked.any.forEach(visit);
    else if ('not' in asked) visit(asked.not);
    else if ('part' in asked) visit(asked.part);
    else if ('value' in asked) values.add(asked.value);
    else {
      if ('phrase' in asked) places = true;
      const words = 'phrase' in asked ? asked.phrase : [asked];
      for (const range of words.flatMap(rangesOfWord)) ranges.set(keyOf(range), range);
      for (const range of words.flatMap(listedWordsOf)) listed.set(keyOf(range), range);
    }
  };
  visit(question);
  return { ranges: [...ranges.values()], listed: [...listed.values()], values: [...values], places };
}
