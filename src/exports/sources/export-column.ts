import { isoTimestamp } from '../../platform/database/iso-timestamp.js';

/** How the values of a column are written: `json` is JSON text, `timestamp` ISO 8601 in UTC with microseconds. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'json';

export interface ExportColumn {
  name: string;
  type: ColumnType;
  /** An expression of type text, or null. */
  sql: string;
  /** Converts the result of the expression, if that is easier than in SQL. Not called for null. */
  derive?: (value: string) => string | null;
}

/** A value as text; null when there is none. Numbers are JSON numbers, booleans `true` and `false`. */
export type Value = string | null;
export type Row = Value[];

export const text = (name: string, sql = name): ExportColumn => ({ name, type: 'text', sql });
export const integer = (name: string, sql = name): ExportColumn => ({ name, type: 'integer', sql: `(${sql})::text` });
export const boolean = (name: string, sql = name): ExportColumn => ({ name, type: 'boolean', sql: `(${sql})::text` });
export const json = (name: string, sql = name): ExportColumn => ({ name, type: 'json', sql: `(${sql})::text` });
export const timestamp = (name: string, sql = name): ExportColumn => ({
  name,
  type: 'timestamp',
  sql: isoTimestamp(sql),
});
/** A column of numbers. NaN and infinities become null, because JSON does not have them. */
export const number = (name: string, sql = name): ExportColumn => ({
  name,
  type: 'number',
  sql: `nullif(nullif(nullif((${sql})::text, 'NaN'), 'Infinity'), '-Infinity')`,
});
