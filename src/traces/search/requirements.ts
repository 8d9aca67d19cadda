import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import {
  literalOf,
  type RequiredWord,
  runsInside,
  type WordRun,
  wordsInside,
  type WordsWith,
} from '../../requests/index.js';
import { facetsOf, normalized } from './leaf-conditions.js';
import { sizesWithin } from './magnitude.js';
import { facet } from './trace-facets.js';
import { type FacetedWorkspace, type SpanLevelField, TRACE_FIELDS } from './trace-fields.js';

/**
 * What a trace must have if it, or a span of it, is to fulfil something: one of some facets, or all of some words, or what
 * one of several alternatives requires.
 */
export type Requirement = { facets: string[] } | RequiredTexts | { alternatives: readonly Requirement[] };

/** Words, and which of them must stand beside each other in a text. */
export interface RequiredTexts {
  words: readonly RequiredWord[];
  runs: readonly WordRun[];
}

/** Whose traces are meant, and the words there that have parts which `textsIn` the group begin with. */
export interface SearchedWorkspace extends FacetedWorkspace {
  wordsWith: WordsWith;
}

/** All that a group requires of a trace, as far as the indexes know, in the order in which it is tested fastest. */
export function requirementsOf(workspace: SearchedWorkspace, group: FilterGroup): Requirement[] {
  const ofItems = group.filters.map((item) =>
    'filters' in item ? requirementsOf(workspace, item) : requirementsOfLeaf(workspace, item),
  );
  if (group.logic.endsWith('AND')) return wordsFirst(ofItems.flat());
  // Of alternatives each must require something, or the one that does not may be the one that holds.
  if (ofItems.length === 0 || ofItems.some((requirements) => requirements.length === 0)) return [];
  const sets = ofItems.map((requirements) => requirements.find((each) => 'facets' in each)?.facets);
  if (sets.every((set) => set !== undefined)) return [{ facets: sets.flat() }];
  return [{ alternatives: ofItems.map(([first]) => first!) }];
}

/** Words are fewer traces', and unlike facets they lie uncompressed. */
function wordsFirst(requirements: Requirement[]): Requirement[] {
  return [...requirements.filter((each) => !('facets' in each)), ...requirements.filter((each) => 'facets' in each)];
}

/** Sets of facets of each of which one span must have one itself, if it is to fulfil the group. */
export function spanFacetsRequiredBy(workspaceId: number, group: FilterGroup): string[][] {
  const ofItems = group.filters.map((item) =>
    'filters' in item ? spanFacetsRequiredBy(workspaceId, item) : ownFacetsOf(workspaceId, item),
  );
  if (group.logic.endsWith('AND')) return ofItems.flat();
  const firsts = ofItems.map(([first]) => first);
  return firsts.length > 0 && firsts.every((first) => first !== undefined) ? [firsts.flat()] : [];
}

function ownFacetsOf(workspaceId: number, given: FilterLeaf): string[][] {
  const field = TRACE_FIELDS[given.field] as SpanLevelField;
  if (given.negated) return [];
  const leaf = normalized(given, field);
  const facets = field.ownFacet ? facetsOf({ workspaceId }, leaf, field) : null;
  const found = facets ?? sizeFacetsOf(workspaceId, leaf, field);
  return found ? [found] : [];
}

/** Whether some condition is about a trace itself and requires nothing that the indexes know. */
export function testsColumns(workspace: SearchedWorkspace, { filters }: FilterGroup): boolean {
  return filters.some((item) =>
    'filters' in item
      ? testsColumns(workspace, item)
      : TRACE_FIELDS[item.field]!.level === 'trace' && requirementsOfLeaf(workspace, item).length === 0,
  );
}

/** Their operators ask whether an id is one of some, or none. */
const IDS: ReadonlySet<string> = new Set(['trace_id', 'span_id']);

/** Whether only traces with one of some ids, or with a span of one of some ids, fulfil the group. */
export function asksForIds({ logic, filters }: FilterGroup): boolean {
  const asks = (item: FilterGroup | FilterLeaf) =>
    'filters' in item ? asksForIds(item) : IDS.has(item.field) && !item.negated;
  return logic.endsWith('AND') ? filters.some(asks) : filters.length > 0 && filters.every(asks);
}

/** The texts that conditions on indexed texts look for. */
export function textsIn(group: FilterGroup): string[] {
  return group.filters.flatMap((item) => ('filters' in item ? textsIn(item) : textOfLeaf(item)));
}

function textOfLeaf({ field: name, negated, condition }: FilterLeaf): string[] {
  const field = TRACE_FIELDS[name]!;
  const isIndexed = field.level !== 'trace' && field.indexedText;
  return isIndexed && !negated && condition.kind === 'matches' ? [literalOf(condition.pattern)] : [];
}

function requirementsOfLeaf(workspace: SearchedWorkspace, given: FilterLeaf): Requirement[] {
  if (given.negated) return [];
  const field = TRACE_FIELDS[given.field]!;
  const leaf = normalized(given, field);
  const facets = facetsOf(workspace, leaf, field);
  if (facets) return [{ facets }];
  return field.level === 'trace' ? [] : requirementsOfSpan(workspace, leaf, field);
}

function requirementsOfSpan(
  { workspaceId, wordsWith }: SearchedWorkspace,
  leaf: FilterLeaf,
  field: SpanLevelField,
): Requirement[] {
  const facets = sizeFacetsOf(workspaceId, leaf, field);
  if (facets) return [{ facets }];
  const texts = textOfLeaf(leaf);
  const words = texts.flatMap((text) => wordsInside(text, wordsWith));
  return words.length > 0 ? [{ words, runs: texts.flatMap(runsInside) }] : [];
}

/** The facets of the sizes that a number may have; null when too many, or when the field has none. */
export function sizeFacetsOf(workspaceId: number, { condition }: FilterLeaf, field: SpanLevelField): string[] | null {
  const { measure } = field;
  if (!measure || condition.kind !== 'bounds') return null;
  const sizes = sizesWithin(condition.bounds);
  return sizes && sizes.map((size) => facet(workspaceId, measure, String(size)));
}
