import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import { literalOf } from '../../words/index.js';
import { TEXTS } from './indexed-fields.js';

/** Whether the texts of a log must be read to evaluate the group. */
export function readsTexts({ filters }: FilterGroup): boolean {
  return filters.some((item) => ('filters' in item ? readsTexts(item) : TEXTS.has(item.field)));
}

/** Texts that the conditions look for: all of them must match, or one of alternatives. */
export function textsRequiredBy(group: FilterGroup): string[] {
  const ofItems = group.filters.map((item) => ('filters' in item ? textsRequiredBy(item) : textsOfLeaf(item)));
  return group.logic === 'AND' || ofItems.every((texts) => texts.length > 0) ? ofItems.flat() : [];
}

function textsOfLeaf({ field, negated, condition }: FilterLeaf): string[] {
  if (negated || condition.kind !== 'matches' || !TEXTS.has(field)) return [];
  return [literalOf(condition.pattern)];
}
