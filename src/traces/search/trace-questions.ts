import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import type { Bound } from '../../platform/filters/operators.js';
import {
  allOf,
  ANY,
  anyOf,
  type Asked,
  askForBounds,
  askForPattern,
  exactly,
  facetTerm,
  microsOf,
  MISSES_WORDS,
  noneOf,
  type Question,
  saysNothing,
} from '../../text-search/index.js';
import { literalOf, type WordsWith } from '../../words/index.js';
import { askForOrigins } from '../../requests/index.js';
import { facetsOf, normalized } from './leaf-conditions.js';
import { sizesWithin } from './magnitude.js';
import { MORE_FACETS, SPAN } from './trace-document.js';
import { facet } from './trace-facets.js';
import { type FacetedWorkspace, type SpanLevelField, TRACE_FIELDS, type TraceLevelField } from './trace-fields.js';

/** The workspace to search, and those of its words that contain parts of the `textsIn` the group. */
export interface SearchedWorkspace extends FacetedWorkspace {
  wordsWith: WordsWith;
}

/** True of traces that have more facets than are kept. */
const MISSES_FACETS: Question = { term: MORE_FACETS };
/** Relative tolerance, larger than the last digit of a double. */
const CLOSE = 1e-9;

/** The question for the index that corresponds to a filter. */
export function questionOfFilter(workspace: SearchedWorkspace, group: FilterGroup): Asked {
  if (group.filters.length === 0) return { ...ANY, isExact: true };
  if (group.logic.startsWith('SPAN_')) return ofOneSpan(workspace, group);
  const questions = group.filters.map((item) =>
    'filters' in item ? questionOfFilter(workspace, item) : questionOfLeaf(workspace, item),
  );
  return group.logic === 'AND' ? allOf(questions) : anyOf(questions);
}

function questionOfLeaf(workspace: SearchedWorkspace, leaf: FilterLeaf): Asked {
  const isOfTrace = TRACE_FIELDS[leaf.field]!.level === 'trace';
  // "is empty" matches a span without a value; other negations match traces in which no span has the value.
  if (!isOfTrace && leaf.negated && leaf.condition.kind === 'filled') return ANY;
  const positive = { ...leaf, negated: false };
  const asked = isOfTrace ? questionOfTrace(workspace, positive) : questionOfSomeSpan(workspace, positive);
  return leaf.negated ? noneOf(asked) : asked;
}

function questionOfTrace(workspace: SearchedWorkspace, leaf: FilterLeaf): Asked {
  const carried = carriedBy(workspace, leaf);
  if (carried) return carried;
  if (leaf.field === 'trace_origin' && leaf.condition.kind === 'one_of') return askForOrigins(leaf.condition.values);
  const { value, unit, field } = TRACE_FIELDS[leaf.field] as TraceLevelField;
  if (value === undefined || leaf.condition.kind !== 'bounds') return ANY;
  const { bounds } = leaf.condition;
  if (unit !== undefined) return askForAbout(value, unit, bounds);
  return askForBounds(value, bounds, field.class === 'datetime' ? microsOf : undefined);
}

/** True of all values within the bounds, and of some that are close to a limit. */
function askForAbout(value: string, unit: number, bounds: readonly Bound[]): Asked {
  const wider = bounds.map(({ comparison, value: limit }): Bound[] => {
    const [at, margin] = [Number(limit) * unit, Math.abs(Number(limit) * unit) * CLOSE];
    const below: Bound = { comparison: '<=', value: at + margin };
    const above: Bound = { comparison: '>=', value: at - margin };
    return comparison === '=' ? [above, below] : comparison.startsWith('<') ? [below] : [above];
  });
  return { ...askForBounds(value, wider.flat()), isExact: false };
}

/**
 * Decides by facets of the whole trace; null where these cannot. A trace may have more facets than are in the index.
 */
function carriedBy(workspace: SearchedWorkspace, leaf: FilterLeaf): Asked | null {
  const field = TRACE_FIELDS[leaf.field]!;
  const facets = facetsOf(workspace, normalized(leaf, field), field);
  return facets && { ...exactly({ anyOf: facets.map(facetTerm) }), mayMiss: [MISSES_FACETS, MISSES_WORDS] };
}

function questionOfSomeSpan(workspace: SearchedWorkspace, leaf: FilterLeaf): Asked {
  return carriedBy(workspace, leaf) ?? ofOneSpan(workspace, { logic: 'AND', filters: [leaf] });
}

/** Requirements for one span, and for its trace. */
interface OfSpan {
  ofPart: Asked;
  ofTrace: Asked;
}

function ofOneSpan(workspace: SearchedWorkspace, group: FilterGroup): Asked {
  const { ofPart, ofTrace } = spanQuestion(workspace, group);
  const part = saysNothing(ofPart) ? ofPart : { ...ofPart, question: { part: ofPart.question } };
  return { ...allOf([part, ofTrace]), isExact: ofPart.isExact };
}

function spanQuestion(workspace: SearchedWorkspace, { logic, filters }: FilterGroup): OfSpan {
  const ofItems = filters.map((item) =>
    'filters' in item ? spanQuestion(workspace, item) : questionOfSpanLeaf(workspace, item),
  );
  const combine = logic.endsWith('AND') || filters.length === 0 ? allOf : anyOf;
  return {
    ofPart: combine(ofItems.map(({ ofPart }) => ofPart)),
    ofTrace: combine(ofItems.map(({ ofTrace }) => ofTrace)),
  };
}

function questionOfSpanLeaf(workspace: SearchedWorkspace, given: FilterLeaf): OfSpan {
  const field = TRACE_FIELDS[given.field] as SpanLevelField;
  const leaf = normalized({ ...given, negated: false }, field);
  const own = field.ownFacet ? facetsOf(workspace, leaf, field) : null;
  if (own) return { ofPart: given.negated ? unlike(own) : exactly({ anyOf: own.map(facetTerm) }), ofTrace: ANY };
  if (given.negated) return { ofPart: ANY, ofTrace: ANY };
  const carried = carriedBy(workspace, leaf);
  if (carried) return { ofPart: ANY, ofTrace: { ...carried, isExact: false } };
  return { ofPart: questionOfTextOrSize(workspace, leaf, field), ofTrace: ANY };
}

/** The part that is no span has no facets of spans, either. */
const unlike = (facets: string[]): Asked =>
  exactly({ all: [{ term: SPAN }, { not: { anyOf: facets.map(facetTerm) } }] });

function questionOfTextOrSize(
  { workspaceId, wordsWith }: SearchedWorkspace,
  leaf: FilterLeaf,
  field: SpanLevelField,
): Asked {
  const { condition } = leaf;
  const sizes = sizeFacetsOf(workspaceId, leaf, field);
  if (sizes) return { ...exactly({ anyOf: sizes.map(facetTerm) }), isExact: false };
  return field.indexedText && condition.kind === 'matches' ? askForPattern(condition.pattern, wordsWith) : ANY;
}

/** The facets of the sizes that a number may have; null when too many, or when the field has none. */
export function sizeFacetsOf(workspaceId: number, { condition }: FilterLeaf, field: SpanLevelField): string[] | null {
  const { measure } = field;
  if (!measure || condition.kind !== 'bounds') return null;
  const sizes = sizesWithin(condition.bounds);
  return sizes && sizes.map((size) => facet(workspaceId, measure, String(size)));
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

/** Their operators ask whether an id is one of some, or none. */
const IDS: ReadonlySet<string> = new Set(['trace_id', 'span_id']);

/** Whether only traces with one of some ids, or with a span of one of some ids, fulfil the group. */
export function asksForIds({ logic, filters }: FilterGroup): boolean {
  const asks = (item: FilterGroup | FilterLeaf) =>
    'filters' in item ? asksForIds(item) : IDS.has(item.field) && !item.negated;
  return logic.endsWith('AND') ? filters.some(asks) : filters.length > 0 && filters.every(asks);
}

/** Whether a group only asks for the start of traces. */
export const asksForStart = ({ filters }: FilterGroup): boolean =>
  filters.every((item) => ('filters' in item ? asksForStart(item) : item.field === 'trace_start'));
