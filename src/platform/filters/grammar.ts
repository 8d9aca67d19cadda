import { FilterSemanticsError, FilterSyntaxError } from './errors.js';
import type { FieldClass, FieldClasses } from './fields.js';
import { type Condition, ruleOf } from './operators.js';
import { type GroupShape, type LeafShape, type Location, type Logic, ShapeReader } from './shape.js';

/** A checked filter: every field is declared, every operator fits its field, every value is converted. */
export interface FilterGroup {
  logic: Logic;
  filters: (FilterGroup | FilterLeaf)[];
}

export interface FilterLeaf {
  field: string;
  /** Set only for a field with keys. */
  nestedKey: string | null;
  negated: boolean;
  condition: Condition;
}

export interface ParseOptions {
  fields: FieldClasses;
  /** Allowed logics of groups; default: AND and OR. */
  logics?: readonly Logic[];
  /** Names of fields for suggestions in errors; default: all. */
  names?: readonly string[];
  /** The location of the input in the request, for example ["body", "filter_group"]. */
  at: Location;
}

/**
 * Reads a filter group as it came over the wire: `{logic?, filters}` with leaves `{field, operator, value?, nested_key?}`.
 * Throws `FilterSyntaxError` (422) for a wrong shape, an unknown name or a passed limit, with every fault found, and
 * `FilterSemanticsError` (400) for the first operator or value that does not fit its field. Throws nothing else.
 */
export function parse(input: unknown, options: ParseOptions): FilterGroup {
  const reader = new ShapeReader(options.fields, options);
  const shape = reader.read(input, options.at);
  if (reader.issues.length > 0) throw new FilterSyntaxError(reader.issues);
  return checkGroup(shape, options.fields);
}

function checkGroup(shape: GroupShape, fields: FieldClasses): FilterGroup {
  const filters = shape.filters.map((item) => ('filters' in item ? checkGroup(item, fields) : checkLeaf(item, fields)));
  return { logic: shape.logic, filters };
}

/** Classes of fields that take a `nested_key`. */
export const KEYED: ReadonlySet<FieldClass> = new Set(['nested', 'loose', 'pair', 'numbers', 'states', 'messages']);

function checkLeaf({ field, operator, nestedKey, value }: LeafShape, fields: FieldClasses): FilterLeaf {
  const fieldClass = fields[field].class;
  const rule = ruleOf(field, fieldClass, operator);
  if (nestedKey !== null && !KEYED.has(fieldClass)) {
    throw new FilterSemanticsError(`The field "${field}" (${fieldClass}) has no keys: leave nested_key out.`);
  }
  const condition = rule.read(value);
  if (condition === null) {
    throw new FilterSemanticsError(`The operator "${operator}" of the field "${field}" takes ${rule.expects}.`);
  }
  return { field, nestedKey, negated: rule.negated, condition };
}
