import { isoFromNanoseconds } from '../../platform/time.js';
import type { ExportColumn } from './export-column.js';

/** A timestamp column from nanoseconds since the epoch. */
export const nanoseconds = (name: string, sql: string): ExportColumn => ({
  name,
  type: 'timestamp',
  sql: `(${sql})::text`,
  derive: isoFromNanoseconds,
});

/** Milliseconds between two expressions in nanoseconds; null while there is no end. */
export const duration = (name: string, start: string, end: string): ExportColumn => ({
  name,
  type: 'number',
  // The greater of 0 and null would be 0.
  sql: `(CASE WHEN ${end} IS NOT NULL THEN greatest(${end} - ${start}, 0)::float8 / 1e6 END)::text`,
});
