import { foldText, placedWordsOf } from './words.js';

/** A part of a word: its end, or wherever it stands. */
export interface PartOfWord {
  part: string;
  isEnd: boolean;
}

/** So short a part of a word would not narrow anything down. */
const SHORTEST = 3;
/** They stand in brackets before what was said, and are in no index. */
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function', 'placeholder'];

/** What a LIKE pattern looks for, without the wildcards around it. */
export function literalOf(pattern: string): string {
  return pattern.replace(/\\(.)|%/gs, (_, escaped: string | undefined) => escaped ?? '');
}

/** What a text begins with in the middle of a word, by text; nothing for one that tells too little. */
export function partsIn(texts: readonly string[]): Map<string, PartOfWord> {
  const parts = texts.map((text) => [text, partAtStart(text)] as const);
  return new Map(parts.filter((entry): entry is [string, PartOfWord] => entry[1] !== null));
}

function partAtStart(text: string): PartOfWord | null {
  const folded = foldText(text);
  const [first] = placedWordsOf(folded);
  if (first?.start !== 0 || first.word.length < SHORTEST || folded[first.end] === ']') return null;
  // The end of a word that was cut is in no index.
  if (first.end > first.word.length) return null;
  const isEnd = first.end < folded.length;
  return !isEnd && ROLES.some((role) => role.includes(first.word)) ? null : { part: first.word, isEnd };
}
