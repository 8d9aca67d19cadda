import type { EntityManager } from 'typeorm';
import { readFilledRows } from '../grid/cells/cells.queries.js';
import type { SheetColumns } from '../grid/columns/sheet-columns.js';
import { RowSet } from '../grid/shared/row-set.js';
import type { Sheet } from '../grid/shared/sheet.entity.js';

const TITLE = 'Column A';

/** Whether a sheet is as it was created: one text column, and only blank rows. */
export async function isScaffold(tx: EntityManager, sheet: Sheet, columns: SheetColumns): Promise<boolean> {
  const [column, ...others] = columns.list;
  if (!column || others.length > 0 || column.title !== TITLE || !columns.inputs.includes(column)) return false;
  if (sheet.rows.isEmpty) return false;
  if (!sheet.rows.equals(RowSet.range(0, sheet.rows.end))) return false;
  const range = { workspaceId: sheet.workspaceId, columnKeys: [column.key], rows: { from: 0, to: sheet.rows.end } };
  return (await readFilledRows(tx, range)).length === 0;
}
