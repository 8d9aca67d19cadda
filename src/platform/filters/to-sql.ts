import type { FilterField, FilterFields, NestedField } from './fields.js';
import type { FilterGroup, FilterLeaf } from './grammar.js';
import type { Bound, Condition } from './operators.js';
import type { SqlParameters } from './sql-parameters.js';

type ScalarField = Extract<
  FilterField,
  { class: 'string' | 'identifier' | 'text' | 'number' | 'datetime' | 'boolean' }
>;
type NestedFacet = NonNullable<NestedField['facet']>;
type ListField = Extract<FilterField, { class: 'array' | 'nested' }>;

/** What the values of a class are compared as. */
const SQL_TYPES: Readonly<Record<ScalarField['class'], string>> = {
  string: 'text',
  identifier: 'bigint',
  text: 'text',
  number: 'float8',
  datetime: 'timestamptz',
  boolean: 'boolean',
};

/**
 * A filter as an SQL condition in parentheses, fit for WHERE. Values become parameters. Where a row has no value the
 * condition may be null instead of false. A group without filters is true.
 */
export function toSql(group: FilterGroup, fields: FilterFields, parameters: SqlParameters): string {
  if (group.filters.length === 0) return 'TRUE';
  const conditions = group.filters.map((item) =>
    'filters' in item ? toSql(item, fields, parameters) : leafSql(item, fields[item.field], parameters),
  );
  return `(${conditions.join(` ${group.logic} `)})`;
}

function leafSql(leaf: FilterLeaf, field: FilterField, parameters: SqlParameters): string {
  const positive = `(${positiveSql(leaf, field, parameters)})`;
  return leaf.negated ? `(${positive} IS NOT TRUE)` : positive;
}

function positiveSql(leaf: FilterLeaf, field: FilterField, parameters: SqlParameters): string {
  const { condition, nestedKey } = leaf;
  if (field.class === 'unavailable') throw new Error(`The field ${leaf.field} cannot be searched.`);
  const facets = condition.kind === 'one_of' ? facetsOf(field, condition.values, nestedKey) : null;
  if (facets) return arrayHolds('facets', facets, parameters);
  if (field.class !== 'array' && field.class !== 'nested') return scalarSql(condition, field, parameters);
  if (field.class === 'nested' && nestedKey === null) return `jsonb_path_exists(${field.sql}, '$.*')`;
  return listSql(condition, field, nestedKey, parameters);
}

/** The facets of which a row must have one; null when the field has no facets. */
function facetsOf(field: FilterField, values: string[], nestedKey: string | null): string[] | null {
  if (!('facet' in field) || !field.facet) return null;
  if (field.class === 'nested') return nestedFacetsOf(field.facet, values, nestedKey);
  const { facet } = field;
  return values.map((value) => facet(value));
}

function nestedFacetsOf(facet: NestedFacet, values: string[], nestedKey: string | null): string[] | null {
  return nestedKey === null ? null : values.map((value) => facet(nestedKey, value));
}

function scalarSql(condition: Condition, field: ScalarField, parameters: SqlParameters): string {
  switch (condition.kind) {
    case 'one_of':
      return equalsOneOf(field, condition.values, parameters);
    case 'matches':
      return `${field.sql} ILIKE ${parameters.add(condition.pattern)}::text`;
    case 'bounds':
      return condition.bounds.map((bound) => boundSql(field, bound, parameters)).join(' AND ');
    case 'filled':
      return `${field.sql} IS NOT NULL`;
    case 'truth':
      return `${field.sql} IS ${condition.expected ? 'TRUE' : 'FALSE'}`;
  }
}

function listSql(condition: Condition, field: ListField, key: string | null, parameters: SqlParameters): string {
  const list = field.class === 'nested' ? field.values(key ?? '', parameters) : field.sql;
  switch (condition.kind) {
    case 'one_of':
      return arrayHolds(list, condition.values, parameters);
    case 'matches':
      return anyItem(list, `ILIKE ${parameters.add(condition.pattern)}::text`);
    case 'filled':
      return field.class === 'nested' ? anyItem(list, `<> ''`) : `cardinality(${list}) > 0`;
    case 'bounds':
    case 'truth':
      throw new Error(`A list cannot be tested for ${condition.kind}.`);
  }
}

/** One wanted value is asked for with @>, which both kinds of index statistics estimate best. */
function arrayHolds(array: string, values: string[], parameters: SqlParameters): string {
  return values.length === 1
    ? `${array} @> ARRAY[${parameters.add(values[0])}::text]`
    : `${array} && ${parameters.add(values)}::text[]`;
}

function anyItem(list: string, test: string): string {
  return `EXISTS (SELECT FROM unnest(${list}) AS item(content) WHERE item.content ${test})`;
}

function equalsOneOf(field: ScalarField, values: string[], parameters: SqlParameters): string {
  const type = SQL_TYPES[field.class];
  return values.length === 1
    ? `${field.sql} = ${parameters.add(values[0])}::${type}`
    : `${field.sql} = ANY(${parameters.add(values)}::${type}[])`;
}

function boundSql(field: ScalarField, { comparison, value }: Bound, parameters: SqlParameters): string {
  return `${field.sql} ${comparison} ${parameters.add(value)}::${SQL_TYPES[field.class]}`;
}
