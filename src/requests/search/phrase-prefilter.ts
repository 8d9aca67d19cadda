import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { WantedWord } from './text-query.js';
import { foldText, wordsOf } from './words.js';

/** The fields whose words are all in the index. */
const INDEXED_FIELDS: ReadonlySet<string> = new Set(['input_text', 'output_text']);
/** So short a beginning of a word would not narrow anything down. */
const SHORTEST_PREFIX = 3;

/**
 * Words that every log must have which fulfils the filter: those that its conditions on texts hold whole, as far as
 * they must all be fulfilled. Looking these up first spares reading the texts of all logs.
 */
export function wordsRequiredBy(group: FilterGroup | null): WantedWord[] {
  if (!group || (group.logic !== 'AND' && group.filters.length > 1)) return [];
  return group.filters.flatMap((item) => ('filters' in item ? wordsRequiredBy(item) : wordsOfLeaf(item)));
}

function wordsOfLeaf({ field, negated, condition }: FilterLeaf): WantedWord[] {
  if (negated || condition.kind !== 'matches' || !INDEXED_FIELDS.has(field)) return [];
  return wordsInside(literalOf(condition.pattern));
}

/** What a LIKE pattern looks for, without the wildcards around it. */
export function literalOf(pattern: string): string {
  return pattern.replace(/\\(.)|%/gs, (_, escaped: string | undefined) => escaped ?? '');
}

/**
 * The words that a text has wherever it stands inside another. Its first word may be the end of a longer one there; its
 * last may be the beginning of one. Next to a bracket it may be the role in "[user]: ", which is in no index.
 */
export function wordsInside(text: string): WantedWord[] {
  const folded = foldText(text);
  const required: WantedWord[] = [];
  let from = 0;
  for (const word of wordsOf(folded)) {
    const start = folded.indexOf(word, from);
    const end = start + word.length;
    from = end;
    const isRole = folded[start - 1] === '[' || folded[end] === ']';
    if (start === 0 || isRole) continue;
    if (end < folded.length) required.push({ word, prefix: false });
    else if (word.length >= SHORTEST_PREFIX) required.push({ word, prefix: true });
  }
  return required;
}
