import type { EntityManager } from 'typeorm';
import { CELL_STATUSES, type CellStatus } from '../../grid/cells/cell-json.js';
import { CELL_VERDICTS, type CellVerdict } from '../../grid/cells/cell-verdicts.queries.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import type { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { type PendingRows, readPending } from '../../grid/computing/tasks.queries.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { ChunkStates } from '../../grid/states/chunk-states.js';
import { readState } from './state-names.js';

/** The names in operations. */
const OTHER_NAMES: Record<string, CellStatus> = { failed: 'error', dispatched: 'queued' };

/** Throws an error for an unknown status. */
export function readStatus(name: string): CellStatus {
  return readState(name, { of: 'status of a cell', states: CELL_STATUSES, others: OTHER_NAMES });
}

const VERDICT_NAMES: Record<string, CellVerdict> = { true: 'yes', pass: 'yes', false: 'no', fail: 'no' };

/** Throws an error for an unknown verdict. */
export function readCellVerdict(name: string): CellVerdict {
  return readState(name, { of: 'verdict of a cell', states: CELL_VERDICTS, others: VERDICT_NAMES });
}

/** The rows with each status, for the columns of a sheet. It works on sets of rows, not on cells. */
export class CellStates {
  private constructor(
    private readonly rows: RowSet,
    private readonly columns: SheetColumns,
    private readonly states: ChunkStates,
    private readonly pending: PendingRows[],
  ) {}

  static async read(tx: EntityManager, sheet: Sheet, columns: SheetColumns): Promise<CellStates> {
    const keys = columns.withStates.map((column) => column.key);
    const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
    return new CellStates(sheet.rows, columns, states, await readPending(tx, sheet));
  }

  /** The rows with this status in a column. */
  rowsWith(column: SheetColumn, status: CellStatus): RowSet {
    if (!this.columns.rules(column).hasStates) return status === 'completed' ? this.rows : RowSet.EMPTY;
    const idle = this.rows.without(this.pendingOf(column, () => true));
    const { stale, failed, completed } = this.states.split(column.key, idle);
    switch (status) {
      case 'running':
        return this.pendingOf(column, ({ running }) => running).intersect(this.rows);
      case 'queued':
        return this.pendingOf(column, ({ running }) => !running).intersect(this.rows);
      case 'stale':
        return stale;
      case 'error':
        return failed;
      case 'completed':
        return completed;
      case 'cancelled':
        // No status of their own: cancelled cells return to their previous status.
        return RowSet.EMPTY;
    }
  }

  private pendingOf({ key }: SheetColumn, has: (task: PendingRows) => boolean): RowSet {
    return RowSet.union(this.pending.filter((task) => task.columnKey === key && has(task)).map(({ rows }) => rows));
  }
}
