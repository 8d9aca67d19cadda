import { comparableText } from '../comparable-text.js';
import type { FieldWithoutSql, FilterField, FilterFields, NestedField, NumbersField } from './fields.js';
import type { FilterGroup, FilterLeaf } from './grammar.js';
import type { Bound, Condition } from './operators.js';
import { jsonTest } from './json-value-sql.js';
import type { SqlParameters } from './sql-parameters.js';

type ScalarField = Extract<
  FilterField,
  { class: 'string' | 'identifier' | 'text' | 'name' | 'number' | 'ordinal' | 'datetime' | 'boolean' }
>;
type NestedFacet = NonNullable<NestedField['facet']>;
type ListField = Extract<FilterField, { class: 'array' | 'pair' | 'nested' | 'loose' }>;

/** The SQL types for comparisons, by class. */
const SQL_TYPES: Readonly<Record<ScalarField['class'], string>> = {
  string: 'text',
  identifier: 'bigint',
  text: 'text',
  name: 'text',
  ordinal: 'bigint',
  number: 'float8',
  datetime: 'timestamptz',
  boolean: 'boolean',
};

/**
 * A filter as an SQL condition in parentheses, for WHERE. Values become parameters. For a row without a value the condition may be
 * null instead of false. A group without filters is true.
 */
export function toSql(group: FilterGroup, fields: FilterFields, parameters: SqlParameters): string {
  if (group.filters.length === 0) return 'TRUE';
  const conditions = group.filters.map((item) =>
    'filters' in item ? toSql(item, fields, parameters) : leafSql(item, fields[item.field], parameters),
  );
  return `(${conditions.join(` ${group.logic} `)})`;
}

/** One condition of a filter, in parentheses. It is null for a row without a value, unless it is negated. */
export function leafSql(leaf: FilterLeaf, field: FilterField, parameters: SqlParameters): string {
  const positive = `(${positiveSql(leaf, field, parameters)})`;
  return leaf.negated ? `(${positive} IS NOT TRUE)` : positive;
}

function positiveSql(leaf: FilterLeaf, field: FilterField, parameters: SqlParameters): string {
  const { condition, nestedKey } = leaf;
  if (!hasSql(field)) throw new Error(`The field ${leaf.field} cannot be searched.`);
  if (field.class === 'numbers') return numbersSql(condition, field, { nestedKey, parameters });
  if (field.class === 'json') return jsonTest(condition, field.sql, parameters);
  const facets = condition.kind === 'one_of' ? facetsOf(field, condition.values, nestedKey) : null;
  if (facets) return arrayHolds('facets', facets, parameters);
  if (!isList(field)) return scalarSql(condition, field, parameters);
  if (field.class === 'nested' && nestedKey === null) return field.filled ?? `jsonb_path_exists(${field.sql}, '$.*')`;
  return listSql(condition, field, nestedKey, parameters);
}

function hasSql(field: FilterField): field is Exclude<FilterField, FieldWithoutSql> {
  return !['unavailable', 'states', 'messages'].includes(field.class);
}

function isList(field: ScalarField | ListField): field is ListField {
  return ['array', 'pair', 'nested', 'loose'].includes(field.class);
}

/** The facets of which a row must have one to match a leaf without its negation; null when facets do not decide. */
export function facetsOfLeaf({ condition, nestedKey }: FilterLeaf, field: FilterField): string[] | null {
  return condition.kind === 'one_of' ? facetsOf(field, condition.values, nestedKey) : null;
}

/** The facets of which a row must have one; null when the field has no facets. */
function facetsOf(field: FilterField, values: string[], nestedKey: string | null): string[] | null {
  if (field.class === 'numbers' || !('facet' in field) || !field.facet) return null;
  if ('values' in field) return nestedFacetsOf(field.facet, values, nestedKey);
  const { facet } = field;
  return values.flatMap((value) => facet(value));
}

function numbersSql(
  condition: Condition,
  field: NumbersField,
  { nestedKey, parameters }: { nestedKey: string | null; parameters: SqlParameters },
): string {
  switch (condition.kind) {
    case 'one_of':
      return field.among(nestedKey, `${field.sql} = ANY(${parameters.add(condition.values)}::float8[])`, parameters);
    case 'bounds': {
      const tests = condition.bounds.map(
        ({ comparison, value }) => `${field.sql} ${comparison} ${parameters.add(value)}::float8`,
      );
      return field.among(nestedKey, tests.join(' AND '), parameters);
    }
    case 'filled':
      return field.among(nestedKey, null, parameters);
    case 'matches':
      return field.among(nestedKey, `${field.sql}::text ILIKE ${parameters.add(condition.pattern)}::text`, parameters);
    case 'truth':
      throw new Error(`A number cannot be tested for ${condition.kind}.`);
  }
}

function nestedFacetsOf(facet: NestedFacet, values: string[], nestedKey: string | null): string[] | null {
  return nestedKey === null ? null : values.map((value) => facet(nestedKey, value));
}

function scalarSql(condition: Condition, field: ScalarField, parameters: SqlParameters): string {
  switch (condition.kind) {
    case 'one_of':
      return equalsOneOf(field, writtenAs(field, condition.values), parameters);
    case 'matches':
      return formsOf(field)
        .map((text) => `comparable_text(${text}) ILIKE ${parameters.add(condition.pattern)}::text`)
        .join(' OR ');
    case 'bounds':
      return condition.bounds.map((bound) => boundSql(field, bound, parameters)).join(' AND ');
    case 'filled':
      return `${field.sql} IS NOT NULL`;
    case 'truth':
      return `${field.sql} IS ${condition.expected ? 'TRUE' : 'FALSE'}`;
  }
}

const formsOf = (field: ScalarField): string[] =>
  'also' in field && field.also ? [field.sql, field.also] : [field.sql];

function listSql(condition: Condition, field: ListField, key: string | null, parameters: SqlParameters): string {
  const hasKeys = field.class === 'nested' || field.class === 'loose';
  const list = hasKeys ? field.values(key ?? '', parameters) : field.sql;
  switch (condition.kind) {
    case 'one_of':
      return arrayHolds(list, field.class === 'pair' ? pairsOf(key, condition.values) : condition.values, parameters);
    case 'matches':
      return matchesSql(list, condition.pattern, { field, key, parameters });
    case 'filled':
      return filledSql(list, { field, key, parameters });
    case 'bounds':
    case 'truth':
      throw new Error(`A list cannot be tested for ${condition.kind}.`);
  }
}

interface ListOptions {
  field: ListField;
  key: string | null;
  parameters: SqlParameters;
}

/** The second part of a pair is the text after its key. */
function matchesSql(list: string, pattern: string, { field, key, parameters }: ListOptions): string {
  if (field.class !== 'pair' || key === null)
    return anyItem(list, `ILIKE ${parameters.add(pattern)}::text`, COMPARABLE);
  const start = startOf(comparableText(key));
  const tests = [`LIKE ${parameters.add(`${start}%`)}::text`, `ILIKE ${parameters.add(start + pattern)}::text`];
  return anyItem(list, tests.join(` AND ${COMPARABLE} `), COMPARABLE);
}

function filledSql(list: string, { field, key, parameters }: ListOptions): string {
  if (field.class === 'pair' && key !== null) return anyItem(list, `LIKE ${parameters.add(`${startOf(key)}%`)}::text`);
  // Documents stored as texts have empty objects and lists as texts.
  return 'values' in field ? anyItem(list, `NOT IN ('', '{}', '[]')`) : `cardinality(${list}) > 0`;
}

const COMPARABLE = 'comparable_text(item.content)';

const pairsOf = (key: string | null, values: string[]): string[] =>
  key === null ? values : values.map((value) => `${key}:${value}`);

/** The beginning of pairs with a key, as a LIKE pattern. */
const startOf = (key: string): string => `${key.replace(/[\\%_]/g, '\\$&')}:`;

/** A single value uses @>, which both kinds of index statistics estimate best. */
function arrayHolds(array: string, values: string[], parameters: SqlParameters): string {
  return values.length === 1
    ? `${array} @> ARRAY[${parameters.add(values[0])}::text]`
    : `${array} && ${parameters.add(values)}::text[]`;
}

function anyItem(list: string, test: string, content = 'item.content'): string {
  return `EXISTS (SELECT FROM unnest(${list}) AS item(content) WHERE ${content} ${test})`;
}

function writtenAs(field: ScalarField, values: string[]): string[] {
  const spellings = field.class === 'string' ? field.spellings : undefined;
  return spellings ? [...new Set(values.flatMap(spellings))] : values;
}

function equalsOneOf(field: ScalarField, values: string[], parameters: SqlParameters): string {
  const type = SQL_TYPES[field.class];
  return values.length === 1
    ? `${field.sql} = ${parameters.add(values[0])}::${type}`
    : `${field.sql} = ANY(${parameters.add(values)}::${type}[])`;
}

function boundSql(field: ScalarField, { comparison, value }: Bound, parameters: SqlParameters): string {
  const type = field.class === 'ordinal' ? 'float8' : SQL_TYPES[field.class];
  return `${field.sql} ${comparison} ${parameters.add(value)}::${type}`;
}
