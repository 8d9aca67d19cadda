import { comparableText, isAscii } from '../platform/comparable-text.js';

/**
 * The words of texts, as indexes keep them and as queries ask for them: letters, digits, marks and "_",
 * lower case, without apostrophes ("don’t" is "dont"). Scripts that do not set words apart count by the character.
 */

/** Longer words are cut, in the index and in queries: a lexeme must stay below 2 KB. In UTF-16 units. */
export const LONGEST_WORD = 100;

export const APOSTROPHES = `'’‘ʼ`;
const APOSTROPHE = new RegExp(`[${APOSTROPHES}]`, 'g');
const ASCII_WORD = /[a-z0-9_]+/g;
/** Characters that are words by themselves. */
const LONE = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
/** Characters of all other words. */
const JOINED = String.raw`[[\p{L}\p{Nd}\p{M}_]--[${LONE}]]`;
const WORD = new RegExp(String.raw`[${LONE}]\p{M}*|${JOINED}+`, 'gv');
const ENDS_JOINED = new RegExp(`${JOINED}$`, 'v');

/** The words of a text in their order; they may repeat. */
export const wordsOf = (text: string): string[] => uncutWordsOf(text).map(cutWord);

/** The same in full length. */
export function uncutWordsOf(text: string): string[] {
  const folded = foldText(text);
  return folded.match(wordPattern(folded)) ?? [];
}

/** A word and its position; `end` is after its last character even if the word is truncated. */
export interface PlacedWord {
  word: string;
  start: number;
  end: number;
}

/** The words of a folded text in their order. */
export function placedWordsOf(folded: string): PlacedWord[] {
  return Array.from(folded.matchAll(wordPattern(folded)), ({ 0: found, index: start }) => {
    return { word: cutWord(found), start, end: start + found.length };
  });
}

const WRITTEN = new RegExp(String.raw`[${LONE}]\p{M}*|${JOINED}+(?:[${APOSTROPHES}]+${JOINED}+)*`, 'gv');

/** The words of a text in their original spelling, with their positions. */
export function wordsAsWritten(text: string): { written: string; index: number }[] {
  return Array.from(text.matchAll(WRITTEN), ({ 0: written, index }) => ({ written, index }));
}

const wordPattern = (folded: string): RegExp => (isAscii(folded) ? ASCII_WORD : WORD);

/** Letter case, apostrophes and different encodings of letters removed. */
export function foldText(text: string): string {
  const bare = comparableText(text).replace(APOSTROPHE, '').toLowerCase();
  // JavaScript gives the last sigma of a word a shape of its own, the database does not.
  return isAscii(bare) ? bare : bare.replaceAll('ς', 'σ');
}

/** A Korean word contains several searchable words without separators. */
const HANGUL = /\p{sc=Hangul}/u;

export const startsWithHangul = (word: string): boolean => HANGUL.test(word.slice(0, 1));

/** Further parts by which a word is found, besides its beginning: its ends that begin with a Korean syllable. */
export function endsOf(word: string): string[] {
  if (!HANGUL.test(word)) return [];
  return Array.from(word, (_, index) => word.slice(index)).filter((end, index) => index > 0 && startsWithHangul(end));
}

const STARTS_LONE = new RegExp(`^[${LONE}]`, 'v');

/** Whether a word is separate from any neighbour. */
export function isLoneWord(word: string): boolean {
  return STARTS_LONE.test(word);
}

/** Whether a word that follows a text would be a part of its last one. */
export function endsInWord(text: string): boolean {
  return ENDS_JOINED.test(text);
}

export function cutWord(word: string): string {
  if (word.length <= LONGEST_WORD) return word;
  const end = word.charCodeAt(LONGEST_WORD - 1);
  // Not in the middle of a character.
  return word.slice(0, end >= 0xd800 && end < 0xdc00 ? LONGEST_WORD - 1 : LONGEST_WORD);
}
