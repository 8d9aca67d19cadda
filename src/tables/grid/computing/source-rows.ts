import type { SourceCell } from '../cells/cells.queries.js';
import { rangeOf, type RowSet } from '../rows/row-set.js';

/** The cells of source columns by row. */
export class SourceRows {
  private readonly columns = new Map<string, SourceCell[]>();
  private readonly first: number;

  constructor(cells: SourceCell[], rows: RowSet) {
    this.first = rangeOf(rows).from;
    for (const cell of cells) {
      let column = this.columns.get(cell.columnKey);
      if (!column) this.columns.set(cell.columnKey, (column = []));
      column[cell.rowIndex - this.first] = cell;
    }
  }

  of(columnKey: string): (row: number) => SourceCell | undefined {
    const cells = this.columns.get(columnKey) ?? [];
    return (row) => cells[row - this.first];
  }
}
