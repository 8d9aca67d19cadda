import type { EntityManager } from 'typeorm';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import type { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { CellStates } from '../rows/cell-states.js';
import { type ColumnStatistics, type FrequentText, readStatistics } from './summary.queries.js';

export interface ColumnSummary {
  column: SheetColumn;
  /** Cells by status. */
  failed: number;
  stale: number;
  pending: number;
  /** undefined for a column without stored cells. */
  statistics: ColumnStatistics | undefined;
  frequent: FrequentText[];
}

export interface SheetSummary {
  sheet: Sheet;
  /** The summarized rows. */
  rows: RowSet;
  columns: ColumnSummary[];
}

/** Summarizes some columns of a sheet over some of its rows. */
export async function readSummary(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
  { shown, rows }: { shown: SheetColumn[]; rows: RowSet },
): Promise<SheetSummary> {
  const states = await CellStates.read(tx, sheet, columns);
  const { statistics, frequent } = await readStatistics(tx, { workspaceId: sheet.workspaceId, rows }, shown);
  const summarized = shown.map((column) => {
    const count = (status: 'error' | 'stale' | 'queued' | 'running') =>
      states.rowsWith(column, status).intersect(rows).count;
    return {
      column,
      failed: count('error'),
      stale: count('stale'),
      pending: count('queued') + count('running'),
      statistics: statistics.find(({ key }) => key === column.key),
      frequent: frequent.filter(({ key }) => key === column.key),
    };
  });
  return { sheet, rows, columns: summarized };
}
