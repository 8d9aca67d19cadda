import type { SqlParameters } from './sql-parameters.js';

/**
 * How a domain declares one searchable field. `sql` is a column, or an expression over
 * the row in parentheses; it must hold no user input.
 *
 * `facet` names the entry that a row carries in its `facets` column (text[], GIN) when the field has that value.
 * With it equality is answered by the index, so the row's facets must be made by the same function.
 */
export type FilterField =
  | {
      class: 'string';
      sql: string;
      /** Several facets when a value can mean several things; none when it means nothing. */
      facet?: (value: string) => string | string[];
      /** Other ways to write a value that mean the same, the value itself included. */
      spellings?: (value: string) => string[];
    }
  /** A whole number (int4 or int8) that is only ever compared for equality. */
  | { class: 'identifier'; sql: string }
  /** `also` is the same said in another form, null where there is none: a condition may be met by either. */
  | { class: 'text'; sql: string; also?: string }
  /** `number` is compared as float8, `datetime` as timestamptz. */
  | { class: 'number' | 'datetime' | 'boolean'; sql: string }
  /** A text that is compared as a whole and searched in. */
  | { class: 'name'; sql: string }
  /** A whole number (int4 or int8) that stands for something and can be compared. */
  | { class: 'ordinal'; sql: string }
  /** `sql` is a text[] of "a:b". A filter names a pair, or b alone and a as its key. */
  | { class: 'pair'; sql: string }
  /** `sql` is a text[]. */
  | { class: 'array'; sql: string; facet?: (value: string) => string }
  | NestedField
  | NumbersField
  /**
   * `sql` is a jsonb value of any type, null where there is none. It is compared as a text, as a number or as true or
   * false: as the operator asks.
   */
  | { class: 'json'; sql: string }
  | FieldWithoutSql;

/**
 * `states` and `messages` are one of several states, or a text, by name; without a key any of them. The domain makes the
 * condition. A field that is `unavailable` belongs to the grammar, but this domain cannot answer it; using it is refused.
 */
export interface FieldWithoutSql {
  class: 'states' | 'messages' | 'unavailable';
}

export interface NestedField {
  /** `loose`: a filter without a key asks for any value, for which `values` gets the empty key. */
  class: 'nested' | 'loose';
  /** A jsonb object. */
  sql: string;
  /** A text[] expression of the values at the key; see `flatMapValues` and `jsonValues`. */
  values: (key: string, parameters: SqlParameters) => string;
  /** The condition that there is anything at all, where that is not that the object has a member. */
  filled?: string;
  facet?: (key: string, value: string) => string;
}

/** Numbers by name. Without a key a comparison means the one of them that the field chooses. */
export interface NumbersField {
  class: 'numbers';
  /** The number, in the rows that `among` looks through. */
  sql: string;
  /** The condition that a row has a number of this name that fulfils the test. */
  among: (name: string | null, test: string | null, parameters: SqlParameters) => string;
}

export type FieldClass = FilterField['class'];

/** What the grammar needs to know of fields, by the name used in a filter. */
export type FieldClasses = Readonly<Record<string, { class: FieldClass }>>;

/** The fields of one kind of row, by the name used in a filter. */
export type FilterFields = Readonly<Record<string, FilterField>>;
