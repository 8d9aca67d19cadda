import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { lockSheet, type SheetAddress } from '../sheets/lock-sheet.js';
import type { Sheet } from '../grid/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { TableErrors } from '../tables.errors.js';
import { cancelTasks, type CancelledCells } from '../grid/computing/cancel-tasks.js';
import { ComputationBell } from '../grid/computing/computation-bell.js';
import { isConfirmed } from './confirmation.js';
import { queueCells, type QueuedCells, type Selection } from '../grid/computing/queue-cells.js';
import {
  type CellSelection,
  countCells,
  type NamedCells,
  selectCells,
  selectNamedCells,
} from '../grid/computing/select-cells.js';

export type Recalculation =
  | { kind: 'queued'; queued: QueuedCells; version: number }
  | { kind: 'nothing' }
  | { kind: 'unconfirmed'; cellCount: number };

@Injectable()
export class RecalculationService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly bell: ComputationBell,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Queues the selected cells, after confirmation when they are many. */
  async start(
    caller: Caller,
    path: SheetPath,
    selection: CellSelection,
    token?: string | null,
  ): Promise<Recalculation> {
    return this.queue(addressOf(caller, path), async (tx, sheet, columns) => {
      const wanted = await selectCells(tx, sheet, columns, selection);
      const cellCount = countCells(wanted);
      const large = cellCount > this.config.recalculationConfirmThreshold;
      const confirmed = !large || isConfirmed({ sheetId: sheet.id, ...selection }, token);
      return confirmed ? wanted : cellCount;
    });
  }

  /** Queues the cells that are named, whatever their state. Gives how many were named as well. */
  async startCells(caller: Caller, path: SheetPath, named: NamedCells): Promise<Recalculation & { selected: number }> {
    if (named.cellIds.length === 0 && named.columnIds.length === 0) throw TableErrors.cell_ids_missing();
    let selected = 0;
    const result = await this.queue(addressOf(caller, path), async (_, sheet, columns) => {
      const { selection, count } = selectNamedCells(sheet, columns, named);
      selected = count;
      return selection;
    });
    return { ...result, selected };
  }

  /** Takes back what has not been computed yet. Results that still come in are dropped. */
  cancel(caller: Caller, path: SheetPath, operationId: string): Promise<CancelledCells> {
    return this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      return cancelTasks(tx, this.types, sheet, { executionId: operationId.toLowerCase() });
    });
  }

  /** `choose` gives the cells, or a number of cells that somebody has to confirm first. */
  private async queue(
    address: SheetAddress,
    choose: (tx: EntityManager, sheet: Sheet, columns: SheetColumns) => Promise<Selection | number>,
  ): Promise<Recalculation> {
    const { sheet, queued, chosen } = await this.db.transaction(async (tx) => {
      const locked = await lockSheet(tx, address);
      const columns = await SheetColumns.read(tx, this.types, locked);
      const cells = await choose(tx, locked, columns);
      if (typeof cells === 'number') return { sheet: locked, queued: null, chosen: cells };
      return { sheet: locked, queued: await queueCells(tx, locked, columns, cells), chosen: 0 };
    });
    if (chosen > 0) return { kind: 'unconfirmed', cellCount: chosen };
    if (!queued) return { kind: 'nothing' };
    this.bell.ring(queued);
    return { kind: 'queued', queued, version: sheet.version };
  }
}
