import { foldText, placedWordsOf } from './words.js';

/** A part of a word: its end, or any part. */
export interface PartOfWord {
  part: string;
  isEnd: boolean;
}

/** Shorter parts of words would match nearly everything. */
const SHORTEST = 3;
/** Roles in brackets before a message; they are not indexed. */
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function', 'placeholder'];

/** The literal of a LIKE pattern, without the wildcards around it. */
export function literalOf(pattern: string): string {
  return pattern.replace(/\\(.)|%/gs, (_, escaped: string | undefined) => escaped ?? '');
}

/** The part of a word at the beginning of a text, by text; none for a text that is too short. */
export function partsIn(texts: readonly string[]): Map<string, PartOfWord> {
  const parts = texts.map((text) => [text, partAtStart(text)] as const);
  return new Map(parts.filter((entry): entry is [string, PartOfWord] => entry[1] !== null));
}

function partAtStart(text: string): PartOfWord | null {
  const folded = foldText(text);
  const [first] = placedWordsOf(folded);
  if (first?.start !== 0 || first.word.length < SHORTEST || folded[first.end] === ']') return null;
  // The end of a truncated word is not indexed.
  if (first.end > first.word.length) return null;
  const isEnd = first.end < folded.length;
  return !isEnd && ROLES.some((role) => role.includes(first.word)) ? null : { part: first.word, isEnd };
}
