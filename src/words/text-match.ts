import type { WantedPhrase, WantedWord } from './text-query.js';
import { endsInWord, foldText, startsWithHangul, wordsOf } from './words.js';

/** Whether each of the words occurs in one of the texts, or begins a word there. */
export function haveWords(wanted: readonly WantedWord[], texts: Iterable<string>): boolean {
  const missing = new Set(wanted);
  for (const text of missing.size > 0 ? texts : []) {
    const found = new Set(wordsOf(text));
    for (const want of missing) if (isAmong(want, found)) missing.delete(want);
    if (missing.size === 0) return true;
  }
  return missing.size === 0;
}

/** Whether a wanted word is one of the words of a text. */
export function isAmong({ word, prefix, similar }: WantedWord, words: ReadonlySet<string>): boolean {
  if (words.has(word)) return true;
  if (!prefix) return false;
  if (startsWithHangul(word)) return [...words].some((candidate) => candidate.includes(word));
  for (const candidate of words) if (candidate.startsWith(word) || similar?.begin(candidate)) return true;
  return false;
}

/** Whether each of the phrases occurs in one of the texts. */
export function havePhrases(phrases: readonly WantedPhrase[], texts: Iterable<string>): boolean {
  const missing = new Set(phrases);
  for (const text of missing.size > 0 ? texts : []) {
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
