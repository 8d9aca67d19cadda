import type { Sheet } from '../shared/sheet.entity.js';

/** The index of the next row: after the last one, and after the rows that a running import has reserved. */
export function nextRowIndex(sheet: Sheet): number {
  return Math.max(sheet.rows.end, sheet.reservedRows);
}
