import { FilterSemanticsError } from '../../platform/filters/errors.js';
import { safeText } from '../../platform/safe-text.js';
import { type Conversation, searchedTexts } from './derived.js';
import { runsIn } from './phrase-runs.js';
import { sequencesIn, type WordSequence } from './word-sequences.js';
import type { SimilarBeginnings } from './similar-beginnings.js';
import type { WordRun } from './word-runs.js';
import { endsInWord, foldText, isLoneWord, lexemeOf, placedWordsOf, startsWithHangul, wordsOf } from './words.js';

const LONGEST_QUERY = 1000;
const MAX_WORDS = 50;
const PHRASE = /"([^"]*)"/g;

/** A word that a log must have, or the beginning of one. */
export interface WantedWord {
  word: string;
  prefix: boolean;
  /** Then it must stand there as it is spelt. */
  isQuoted?: boolean;
  /** What will do as well, where the word is taken for misspelt. */
  similar?: SimilarBeginnings;
}

/** The same, or one of several words. */
export type RequiredWord = WantedWord | { anyOf: readonly string[] };

/** A folded text that must stand in a text of the log as it is: a quoted phrase, or symbols that are no words. */
export interface WantedPhrase {
  text: string;
  /** Whether it must not begin in the middle of a word. */
  startsWord: boolean;
}

/** What a log must hold to be found; all of it. */
export interface TextQuery {
  words: WantedWord[];
  phrases: WantedPhrase[];
  /** Words of phrases that stand beside each other. */
  sequences: WordSequence[];
  /** The same, see `WordRuns`. */
  runs: WordRun[];
}

/**
 * Reads the free text `q`: every word of it begins a word of the input or the output, in any order and letter case;
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
  // A phrase that is one word says nothing that the word does not say.
  const phrases = [
    ...quoted.filter((phrase) => wordsOf(phrase)[0] !== phrase),
    ...chunks.filter((chunk) => wordsOf(chunk).length === 0),
  ].filter((phrase) => phrase !== '');
  if (words.length + phrases.length === 0) return null;
  const runs = [...new Set(quoted)].flatMap((phrase) => runsIn(phrase, { startsWord: true }));
  const sequences = [...new Set(quoted)].flatMap((phrase) => sequencesIn(phrase, { first: 'whole' }));
  return { words: distinct(words), phrases: [...new Set(phrases)].map(toPhrase), sequences, runs };
}

function toPhrase(text: string): WantedPhrase {
  const [first] = placedWordsOf(text);
  return { text, startsWord: first?.start === 0 && !isLoneWord(first.word) };
}

/** A phrase begins where a word begins, so all its words are whole but the last and those that were cut. */
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

/** What a word may begin with to be the one that is wanted, as far as words are known. */
export const beginningsOf = ({ word, similar }: WantedWord): string[] => [word, ...(similar?.known ?? [])];

/** Whether a log is found, told from its texts instead of the index. */
export function matchesText(query: TextQuery, call: Conversation): boolean {
  return hasWords(query.words, call) && hasPhrases(query.phrases, call);
}

function hasWords(wanted: WantedWord[], call: Conversation): boolean {
  if (wanted.length === 0) return true;
  const missing = new Set(wanted);
  const { texts, around, answer } = searchedTexts(call);
  for (const text of [...texts, around, answer]) {
    const found = new Set(wordsOf(text));
    for (const want of missing) if (isAmong(want, found)) missing.delete(want);
    if (missing.size === 0) return true;
  }
  return false;
}

/** Whether a word that is wanted is one of the words of a text. */
export function isAmong({ word, prefix, similar }: WantedWord, words: ReadonlySet<string>): boolean {
  if (words.has(word)) return true;
  if (!prefix) return false;
  if (startsWithHangul(word)) return [...words].some((candidate) => candidate.includes(word));
  for (const candidate of words) if (candidate.startsWith(word) || similar?.begin(candidate)) return true;
  return false;
}

function hasPhrases(phrases: WantedPhrase[], call: Conversation): boolean {
  if (phrases.length === 0) return true;
  const missing = new Set(phrases);
  const { texts, answer } = searchedTexts(call);
  for (const text of [...texts, answer]) {
    const folded = foldText(text);
    for (const phrase of missing) if (stands(phrase, folded)) missing.delete(phrase);
  }
  return missing.size === 0;
}

function stands({ text: phrase, startsWord }: WantedPhrase, text: string): boolean {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (!startsWord || !endsInWord(text.slice(Math.max(0, at - 2), at))) return true;
  }
  return false;
}

/** The words, all of them, as a `tsquery` over the index. */
export function toTsquery(workspaceId: number, words: readonly RequiredWord[]): string {
  // Words hold nothing that would need an escape: see `words.ts`.
  const entry = (word: string) => `'${lexemeOf(workspaceId, word)}'`;
  const anyOf = (entries: string[]) => (entries.length > 1 ? `(${entries.join(' | ')})` : entries[0]!);
  return words
    .map((wanted) => {
      if ('word' in wanted) return anyOf(beginningsOf(wanted).map((word) => entry(word) + (wanted.prefix ? ':*' : '')));
      // The empty word stands nowhere.
      return anyOf((wanted.anyOf.length > 0 ? wanted.anyOf : ['']).map(entry));
    })
    .join(' & ');
}
