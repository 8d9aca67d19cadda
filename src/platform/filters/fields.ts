import type { SqlParameters } from './sql-parameters.js';

/**
 * How a domain declares one searchable field. `sql` is a column, or an expression over the row in parentheses; it must contain no
 * user input. `facet` is the entry in the `facets` column (text[], GIN) of rows with that value. With it equality is answered by
 * the index, so the row's facets must be built by the same function.
 */
export type FilterField =
  | {
      class: 'string';
      sql: string;
      /** Several facets for an ambiguous value; none for an impossible one. */
      facet?: (value: string) => string | string[];
      /** Other spellings of a value, including the value itself. */
      spellings?: (value: string) => string[];
    }
  /** A whole number (int4 or int8) that is only ever compared for equality. */
  | { class: 'identifier'; sql: string }
  /** `also` is the same text in another form, null without one: either may match. */
  | { class: 'text'; sql: string; also?: string }
  /** `number` is compared as float8, `datetime` as timestamptz. */
  | { class: 'number' | 'datetime' | 'boolean'; sql: string }
  /** A text that is compared as a whole and searched. */
  | { class: 'name'; sql: string }
  /** A whole number (int4 or int8) with an order. */
  | { class: 'ordinal'; sql: string }
  /** `sql` is a text[] of "a:b". A filter names a pair, or b alone and a as its key. */
  | { class: 'pair'; sql: string }
  /** `sql` is a text[]. */
  | { class: 'array'; sql: string; facet?: (value: string) => string }
  | NestedField
  | NumbersField
  /** `sql` is a jsonb value of any type, or null. It is compared as a text, a number or a boolean, depending on the operator. */
  | { class: 'json'; sql: string }
  | FieldWithoutSql;

/**
 * `states` and `messages` are one of several states, or a text, by name; without a key any of them. The domain builds the
 * condition. A field that is `unavailable` is part of the grammar but not supported by this domain; using it is refused.
 */
export interface FieldWithoutSql {
  class: 'states' | 'messages' | 'unavailable';
}

export interface NestedField {
  /** `loose`: a filter without a key matches any value; `values` then gets the empty key. */
  class: 'nested' | 'loose';
  /** A jsonb object. */
  sql: string;
  /** A text[] expression of the values at the key; see `flatMapValues` and `jsonValues`. */
  values: (key: string, parameters: SqlParameters) => string;
  /** The condition for a non-empty value; default: the object has a member. */
  filled?: string;
  facet?: (key: string, value: string) => string;
}

/** Numbers by name. Without a key the field chooses the compared number. */
export interface NumbersField {
  class: 'numbers';
  /** The number, in the rows that `among` reads. */
  sql: string;
  /** The condition that a row has a matching number of this name. */
  among: (name: string | null, test: string | null, parameters: SqlParameters) => string;
}

export type FieldClass = FilterField['class'];

/** The classes of fields for the grammar, by the name used in a filter. */
export type FieldClasses = Readonly<Record<string, { class: FieldClass }>>;

/** The fields of one kind of row, by the name used in a filter. */
export type FilterFields = Readonly<Record<string, FilterField>>;
