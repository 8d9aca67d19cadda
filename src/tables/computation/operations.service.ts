import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ChunkStates } from '../cells/chunk-states.js';
import { ColumnTypes } from '../column-types/column-type.js';
import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../rows/row-set.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { Sheet } from '../sheets/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { TableErrors } from '../tables.errors.js';
import { Execution } from './execution.entity.js';
import { type PendingRows, readPending } from './tasks.queries.js';

/** Cells by state. Every state is present. */
export interface StatusCounts {
  STALE: number;
  QUEUED: number;
  DISPATCHED: number;
  RUNNING: number;
  COMPLETED: number;
  FAILED: number;
}

export interface OperationView {
  execution: Execution;
  counts: StatusCounts;
}

@Injectable()
export class OperationsService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
  ) {}

  /** The state of the whole sheet and the operations that are not finished. */
  overview(caller: Caller, path: SheetPath) {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const counts = await this.countSheet(tx, sheet);
      const where = { workspaceId: sheet.workspaceId, sheetId: sheet.id, finishedAt: IsNull() };
      const executions = await tx.find(Execution, { where, order: { createdAt: 'ASC' } });
      const active: OperationView[] = [];
      // One after the other: they share a connection.
      for (const execution of executions) active.push(await view(tx, sheet, execution));
      return { sheet, counts, active };
    });
  }

  get(caller: Caller, path: SheetPath & { operation_id: string }): Promise<OperationView> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const where = { workspaceId: sheet.workspaceId, sheetId: sheet.id, id: path.operation_id };
      const execution = await tx.findOneBy(Execution, where);
      if (!execution) throw TableErrors.operation_not_found(path.operation_id);
      return view(tx, sheet, execution);
    });
  }

  /** Works on sets of rows: its cost does not grow with the number of cells. */
  private async countSheet(tx: EntityManager, sheet: Sheet): Promise<StatusCounts> {
    const { computed } = await SheetColumns.read(tx, this.types, sheet);
    const keys = computed.map((column) => column.key);
    const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
    const pending = await readPending(tx, sheet);
    const counts = countPending(pending);
    for (const key of keys) {
      const busy = RowSet.union(pending.filter((task) => task.columnKey === key).map((task) => task.rows));
      const idle = sheet.rows.without(busy);
      const stale = states.stale(key).intersect(idle);
      const failed = states.failed(key).intersect(idle).without(stale);
      counts.STALE += stale.count;
      counts.FAILED += failed.count;
      counts.COMPLETED += idle.count - stale.count - failed.count;
    }
    return counts;
  }
}

/** The counters of an execution describe its own cells only. */
async function view(tx: EntityManager, sheet: Sheet, execution: Execution): Promise<OperationView> {
  const counts = countPending(execution.finishedAt ? [] : await readPending(tx, sheet, execution.id));
  return { execution, counts: { ...counts, COMPLETED: execution.completedCount, FAILED: execution.failedCount } };
}

function countPending(pending: PendingRows[]): StatusCounts {
  const sum = (tasks: PendingRows[]) => tasks.reduce((total, task) => total + task.rows.count, 0);
  return {
    STALE: 0,
    QUEUED: sum(pending.filter((task) => !task.running)),
    DISPATCHED: 0,
    RUNNING: sum(pending.filter((task) => task.running)),
    COMPLETED: 0,
    FAILED: 0,
  };
}
