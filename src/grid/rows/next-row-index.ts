import type { Sheet } from '../sheet.entity.js';

/** Where the next row goes: after the last one, and after everything a running import has reserved. */
export function nextRowIndex(sheet: Sheet): number {
  return Math.max(sheet.rows.end, sheet.reservedRows);
}
