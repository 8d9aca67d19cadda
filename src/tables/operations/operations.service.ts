import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { TableErrors } from '../shared/tables.errors.js';
import { countPending, countStates, type StatusCounts } from '../../grid/computing/count-states.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { NOTHING_RESERVED, readReserved, type ReservedCost } from '../../grid/computing/reservations.queries.js';
import { type PendingRows, readPending, readPendingOfEach } from '../../grid/computing/tasks.queries.js';

export interface OperationView {
  execution: Execution;
  counts: StatusCounts;
  reserved: ReservedCost;
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
      const counts = await countStates(tx, sheet, await SheetColumns.read(tx, this.types, sheet));
      const where = {
        workspaceId: sheet.workspaceId,
        sheetId: sheet.id,
        owner: 'sheet' as const,
        finishedAt: IsNull(),
      };
      const executions = await tx.find(Execution, { where, order: { createdAt: 'ASC' } });
      const pending = await readPendingOfEach(tx, sheet);
      const active: OperationView[] = [];
      // One after the other, because they share a connection.
      for (const execution of executions) active.push(await view(tx, execution, pending.get(execution.id) ?? []));
      return { sheet, counts, active };
    });
  }

  /** The cells of the whole sheet by state. */
  count(caller: Caller, path: SheetPath): Promise<StatusCounts> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      return countStates(tx, sheet, await SheetColumns.read(tx, this.types, sheet));
    });
  }

  get(caller: Caller, path: SheetPath & { operation_id: string }): Promise<OperationView> {
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const where = { workspaceId: sheet.workspaceId, sheetId: sheet.id, id: path.operation_id };
      const execution = await tx.findOneBy(Execution, where);
      if (!execution) throw TableErrors.operation_not_found(path.operation_id);
      return view(tx, execution, execution.finishedAt ? [] : await readPending(tx, sheet, execution.id));
    });
  }
}

/** The counters of an execution describe its own cells only. */
async function view(tx: EntityManager, execution: Execution, pending: PendingRows[]): Promise<OperationView> {
  const counts = countPending(pending);
  const { workspaceId, id: executionId, maxCost } = execution;
  const reserved = maxCost === null ? NOTHING_RESERVED : await readReserved(tx, { workspaceId, executionId });
  return {
    execution,
    reserved,
    counts: { ...counts, COMPLETED: execution.completedCount, FAILED: execution.failedCount },
  };
}
