import { FilterSemanticsError } from '../platform/filters/errors.js';
import { safeText } from '../platform/safe-text.js';
import { sequencesIn, type WordSequence } from './word-sequences.js';
import type { SimilarBeginnings } from './similar-beginnings.js';
import { foldText, isLoneWord, placedWordsOf, wordsOf } from './words.js';

const LONGEST_QUERY = 1000;
const MAX_WORDS = 50;
const PHRASE = /"([^"]*)"/g;

/** A word that a document must have, or the beginning of one. */
export interface WantedWord {
  word: string;
  prefix: boolean;
  /** Whether it must occur in this spelling. */
  isQuoted?: boolean;
  /** Alternatives for a misspelled word. */
  similar?: SimilarBeginnings;
}

/** A folded text that must occur in a text of the document unchanged: a quoted phrase, or symbols outside of words. */
export interface WantedPhrase {
  text: string;
  /** Whether it must begin at the start of a word. */
  startsWord: boolean;
}

/** The conditions of a text query, all of which a document must meet. */
export interface TextQuery {
  words: WantedWord[];
  phrases: WantedPhrase[];
  /** Adjacent words of phrases. */
  sequences: WordSequence[];
}

/**
 * Reads the free text `q`: every word of it begins a word of some text, in any order and letter case;
 * what stands in double quotes must stand in a text just so. Null when it is blank: that filters nothing. See
 * `forgiveMisspelling` for what else is found.
 * Throws FilterSemanticsError (400) when it is too long.
 */
export function parseTextQuery(q: string | null | undefined): TextQuery | null {
  const text = safeText(q ?? '');
  if (text.length > LONGEST_QUERY) {
    throw new FilterSemanticsError(`A text search takes up to ${LONGEST_QUERY} characters.`);
  }
  const quoted = [...text.matchAll(PHRASE)].map(([, phrase]) => foldText(phrase!).trim());
  const chunks = foldText(text.replace(PHRASE, ' ')).split(/[\s"]+/);
  const words = [...quoted.flatMap(wordsOfPhrase), ...chunks.flatMap(wordsOf).map((word) => ({ word, prefix: true }))];
  if (words.length > MAX_WORDS) throw new FilterSemanticsError(`A text search takes up to ${MAX_WORDS} words.`);
  // A phrase of one word adds nothing to the word.
  const phrases = [
    ...quoted.filter((phrase) => wordsOf(phrase)[0] !== phrase),
    ...chunks.filter((chunk) => wordsOf(chunk).length === 0),
  ].filter((phrase) => phrase !== '');
  if (words.length + phrases.length === 0) return null;
  const sequences = [...new Set(quoted)].flatMap((phrase) => sequencesIn(phrase, { first: 'whole' }));
  return { words: distinct(words), phrases: [...new Set(phrases)].map(toPhrase), sequences };
}

function toPhrase(text: string): WantedPhrase {
  const [first] = placedWordsOf(text);
  return { text, startsWord: first?.start === 0 && !isLoneWord(first.word) };
}

/** A phrase begins at the start of a word, so all its words are whole except the last one and truncated ones. */
function wordsOfPhrase(phrase: string): WantedWord[] {
  const words = placedWordsOf(phrase);
  return words.map(({ word, start, end }, at) => {
    return { word, prefix: at === words.length - 1 || end - start > word.length, isQuoted: true };
  });
}

function distinct(words: WantedWord[]): WantedWord[] {
  const keyOf = ({ word, prefix, isQuoted }: WantedWord) => `${isQuoted ? '"' : ''}${word}${prefix ? '*' : ''}`;
  return [...new Map(words.map((wanted) => [keyOf(wanted), wanted])).values()];
}

/** The beginnings that match a wanted word, as far as words are known. */
export const beginningsOf = ({ word, similar }: WantedWord): string[] => [word, ...(similar?.known ?? [])];
