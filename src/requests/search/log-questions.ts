import type { FilterField, FilterFields } from '../../platform/filters/fields.js';
import type { FilterGroup, FilterLeaf } from '../../platform/filters/grammar.js';
import { facetsOfLeaf } from '../../platform/filters/to-sql.js';
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
  noneOf,
  START,
} from '../../text-search/index.js';
import type { WordsWith } from '../../words/index.js';
import { ID, NUMBERS, TERMS, TEXTS } from './indexed-fields.js';
import { LONGEST_PLAIN, plainTerm } from './log-document.js';
import { askForOrigins } from './origin-questions.js';

/** Known words of a workspace, for filters on texts. */
export interface FilterContext {
  fields: FilterFields;
  /** Words that contain a part; see `partsIn`. */
  words: WordsWith;
}

/** The index query of a filter. */
export function questionOfFilter(group: FilterGroup, context: FilterContext): Asked {
  if (group.filters.length === 0) return { ...ANY, isExact: true };
  const questions = group.filters.map((item) =>
    'filters' in item ? questionOfFilter(item, context) : questionOfLeaf(item, context),
  );
  return group.logic === 'AND' ? allOf(questions) : anyOf(questions);
}

function questionOfLeaf(leaf: FilterLeaf, context: FilterContext): Asked {
  const positive = questionOfPositive(leaf, context);
  return leaf.negated ? noneOf(positive) : positive;
}

const VALUES: ReadonlyMap<string, string> = new Map(Object.entries(NUMBERS));
const PLAIN: ReadonlySet<string> = new Set(TERMS);

function questionOfPositive(leaf: FilterLeaf, { fields, words }: FilterContext): Asked {
  const { field: name, condition } = leaf;
  const field = fields[name]!;
  const facets = facetsOfLeaf(leaf, field);
  if (facets) return exactly({ anyOf: facets.map(facetTerm) });
  if (condition.kind === 'matches' && TEXTS.has(name)) return askForPattern(condition.pattern, words);
  const value = VALUES.get(name);
  if (condition.kind === 'bounds' && value) {
    return askForBounds(value, condition.bounds, value === START ? microsOf : Number);
  }
  if (condition.kind !== 'one_of') return ANY;
  if (name === 'origin') return askForOrigins(condition.values);
  if (name === 'pl_id') {
    return exactly({ any: condition.values.map((id) => ({ value: ID, from: Number(id), to: Number(id) })) });
  }
  return PLAIN.has(name) ? questionOfPlain(name, field, condition.values) : ANY;
}

function questionOfPlain(name: string, field: FilterField, values: string[]): Asked {
  const spellings = field.class === 'string' && field.spellings ? values.flatMap(field.spellings) : values;
  return {
    question: { anyOf: spellings.map((value) => plainTerm(name, value)) },
    isExact: spellings.every(({ length }) => length < LONGEST_PLAIN),
    mayMiss: [],
  };
}
