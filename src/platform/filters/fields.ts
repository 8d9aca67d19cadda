import type { SqlParameters } from './sql-parameters.js';

/**
 * How a domain declares one searchable field. `sql` is a column, or an expression over
 * the row in parentheses; it must hold no user input.
 *
 * `facet` names the entry that a row carries in its `facets` column (text[], GIN) when the field has that value.
 * With it equality is answered by the index, so the row's facets must be made by the same function.
 */
export type FilterField =
  | { class: 'string'; sql: string; facet?: (value: string) => string }
  /** A whole number (int4 or int8) that is only ever compared for equality. */
  | { class: 'identifier'; sql: string }
  | { class: 'text'; sql: string }
  /** `number` is compared as float8, `datetime` as timestamptz. */
  | { class: 'number' | 'datetime' | 'boolean'; sql: string }
  /** `sql` is a text[]. */
  | { class: 'array'; sql: string; facet?: (value: string) => string }
  | NestedField
  /** A field of the grammar that this domain cannot answer; using it is refused. */
  | { class: 'unavailable' };

export interface NestedField {
  class: 'nested';
  /** A jsonb object. */
  sql: string;
  /** A text[] expression of the values at the key; see `flatMapValues` and `jsonValues`. */
  values: (key: string, parameters: SqlParameters) => string;
  facet?: (key: string, value: string) => string;
}

export type FieldClass = FilterField['class'];

/** The fields of one kind of row, by the name used in a filter. */
export type FilterFields = Readonly<Record<string, FilterField>>;
