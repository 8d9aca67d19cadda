import type { NewCell, SourceCell } from '../cells/cells.queries.js';
import { SKIPPED } from '../columns/column-guard.js';
import { rangeOf, type RowSet } from '../shared/row-set.js';

/** A cell without a value, because it failed or was skipped. */
export interface EndedCell {
  columnKey: string;
  rowIndex: number;
  hasFailed: boolean;
}

/** The cells of source columns by row. */
export class SourceRows {
  private readonly columns = new Map<string, SourceCell[]>();
  /** By column and row: true for a failed cell, false for a skipped one. */
  private readonly ends = new Map<string, boolean>();
  private readonly first: number;

  constructor(cells: SourceCell[], rows: RowSet) {
    this.first = rangeOf(rows).from;
    for (const cell of cells) this.put(cell);
  }

  /** Adds failed and skipped cells, for guards. */
  addEnds(ends: EndedCell[]): void {
    for (const { columnKey, rowIndex, hasFailed } of ends) this.ends.set(`${columnKey}:${rowIndex}`, hasFailed);
  }

  /** Adds cells that were just computed, for the following columns. */
  addComputed(cells: NewCell[]): void {
    for (const { columnKey, rowIndex, value, error = null, displayValue } of cells) {
      this.put({ columnKey, rowIndex, value, error });
      const wasSkipped = value === null && displayValue === SKIPPED;
      if (error !== null || wasSkipped) this.addEnds([{ columnKey, rowIndex, hasFailed: error !== null }]);
    }
  }

  /** undefined for a cell that neither failed nor was skipped. */
  endOf(columnKey: string, row: number): 'failed' | 'skipped' | undefined {
    const hasFailed = this.ends.get(`${columnKey}:${row}`);
    return hasFailed === undefined ? undefined : hasFailed ? 'failed' : 'skipped';
  }

  of(columnKey: string): (row: number) => SourceCell | undefined {
    const cells = this.columns.get(columnKey) ?? [];
    return (row) => cells[row - this.first];
  }

  private put(cell: SourceCell): void {
    let column = this.columns.get(cell.columnKey);
    if (!column) this.columns.set(cell.columnKey, (column = []));
    column[cell.rowIndex - this.first] = cell;
  }
}
