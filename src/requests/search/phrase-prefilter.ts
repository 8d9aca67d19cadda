import type { PartOfWord } from './part-of-word.js';
import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import { isRole, runsIn } from './phrase-runs.js';
import type { RequiredWord } from './text-query.js';
import type { WordsWith } from './vocabulary.queries.js';
import type { WordRun } from './word-runs.js';
import { foldText, isLoneWord, placedWordsOf } from './words.js';

/** The fields whose words are all in the index. */
export const INDEXED_FIELDS: ReadonlySet<string> = new Set(['input_text', 'output_text']);
/** So short a beginning or part of a word would not narrow anything down. */
const SHORTEST = 3;
/** They stand in brackets before what was said, and are in no index. */
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function', 'placeholder'];

/** Whether the texts of a log must be read to see if it fulfils the group. */
export function readsTexts({ filters }: FilterGroup): boolean {
  return filters.some((item) => ('filters' in item ? readsTexts(item) : INDEXED_FIELDS.has(item.field)));
}

/** What the conditions on texts look for of which all, or one of alternatives, must be fulfilled. */
export function textsRequiredBy(group: FilterGroup): string[] {
  const ofItems = group.filters.map((item) => ('filters' in item ? textsRequiredBy(item) : textsOfLeaf(item)));
  return group.logic === 'AND' || ofItems.every((texts) => texts.length > 0) ? ofItems.flat() : [];
}

function textsOfLeaf({ field, negated, condition }: FilterLeaf): string[] {
  if (negated || condition.kind !== 'matches' || !INDEXED_FIELDS.has(field)) return [];
  return [literalOf(condition.pattern)];
}

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

/**
 * The words that a text has wherever it stands inside another. Its first word may be the end of a longer one there, one
 * of those `words` knows; its last may be the beginning of one.
 */
export function wordsInside(text: string, words: WordsWith): RequiredWord[] {
  const folded = foldText(text);
  const anyOf = words.get(text);
  const required: RequiredWord[] = anyOf ? [{ anyOf }] : [];
  for (const placed of placedWordsOf(folded)) {
    const { word, start, end } = placed;
    const isWhole = isLoneWord(word);
    if ((start === 0 && !isWhole) || isRole(folded, placed)) continue;
    if (end < folded.length) required.push({ word, prefix: false });
    else if (word.length >= SHORTEST || isWhole) required.push({ word, prefix: true });
  }
  return required;
}

/** The runs of words of every text that has this one inside. */
export function runsInside(text: string): WordRun[] {
  return runsIn(foldText(text), { startsWord: false });
}
