import type { EntityManager } from 'typeorm';
import type { JsonObject } from '../../platform/json.js';
import { editedContent } from '../cells/cell-edit.js';
import { type NewCell, writeCells } from '../cells/cells.queries.js';
import { NamedColumns } from '../cells/named-columns.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { SheetColumns } from '../columns/sheet-columns.js';
import { GridErrors } from '../shared/grid.errors.js';
import type { Sheet } from '../shared/sheet.entity.js';
import { settleStates } from '../cells/settle-states.js';
import { recordVersion } from '../shared/record-version.js';
import { nextRowIndex } from './next-row-index.js';
import { RowSet } from '../shared/row-set.js';

export interface NewRows {
  count: number;
  /** Values of the first rows, by the id or title of a column. Entries beyond `count` are ignored. */
  values: JsonObject[];
}

interface AddingRows {
  columns: SheetColumns;
  /** The caller that adds them; null for the server itself. */
  createdBy: string | null;
  /** Limit of the rows of the sheet. */
  maxRows: number;
}

const BLANK = { value: null, displayValue: null };

/**
 * Adds rows after the last one of a locked sheet, as one version. Their computed cells are stale and wait until
 * somebody starts a recalculation. Throws sheet_without_columns, row_limit_exceeded, column_reference_unknown,
 * column_reference_ambiguous, column_given_twice and the errors of `editedContent`.
 */
export async function addRows(
  tx: EntityManager,
  sheet: Sheet,
  { columns, createdBy, maxRows }: AddingRows,
  { count, values }: NewRows,
): Promise<RowSet> {
  if (columns.ofSheet.length === 0) throw GridErrors.sheet_without_columns();
  if (sheet.rows.count + count > maxRows) throw GridErrors.row_limit_exceeded(maxRows);
  const start = nextRowIndex(sheet);
  const added = RowSet.range(start, start + count);
  const cells = toCells(columns, start, values.slice(0, count));
  const version = await recordVersion(tx, sheet, {
    rows: sheet.rows.union(added),
    deltas: [{ type: 'rows.add', row_index: start, count }],
    createdBy,
  });
  // The index of a deleted last row is used again, so the cells may have a history.
  await writeCells(tx, { workspaceId: sheet.workspaceId, version, executionId: null, mayReplace: true }, cells);
  const stale = new Map(columns.withStates.map((column) => [column.key, added]));
  await settleStates(tx, sheet, columns, { stale, cells });
  return added;
}

function toCells(columns: SheetColumns, start: number, values: JsonObject[]): NewCell[] {
  const named = new NamedColumns(columns);
  return values.flatMap((row, index) => {
    const given = new Set<SheetColumn>();
    return Object.entries(row).map(([name, value]) => {
      const column = named.find('values', name);
      if (!column) throw GridErrors.column_reference_unknown('values', name);
      if (given.has(column)) throw GridErrors.column_given_twice(`values[${index}]`, column.title);
      given.add(column);
      return { columnKey: column.key, rowIndex: start + index, ...editedContent(columns, column, { value }, BLANK) };
    });
  });
}
