import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { audit, type Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { lockSheet, type SheetAddress } from '../sheets/lock-sheet.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { TableErrors } from '../shared/tables.errors.js';
import { cancelTasks, type CancelledCells } from '../../grid/computing/cancel-tasks.js';
import { ComputationNotifier } from '../../grid/computing/computation-notifier.js';
import { confirmationToken, isConfirmed } from './confirmation.js';
import {
  queueCells,
  type QueuedCells,
  type QueueOptions,
  type QueueRequest,
  type Selection,
} from '../../grid/computing/queue-cells.js';
import {
  type CellSelection,
  countCells,
  type NamedCells,
  selectCells,
  selectNamedCells,
} from '../../grid/computing/select-cells.js';

export interface UnconfirmedRecalculation {
  kind: 'unconfirmed';
  cellCount: number;
  /** Confirms exactly this request. */
  token: string;
}

export type Recalculation =
  { kind: 'queued'; queued: QueuedCells; version: number } | { kind: 'nothing' } | UnconfirmedRecalculation;

export interface RecalculationRequest {
  selection: CellSelection;
  options: QueueOptions;
  /** The token of an earlier answer that asked for confirmation. */
  token?: string | null;
}

@Injectable()
export class RecalculationService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly notifier: ComputationNotifier,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Queues the selected cells. Many cells need a confirmation. */
  async start(
    caller: Caller,
    path: SheetPath,
    { selection, options, token }: RecalculationRequest,
  ): Promise<Recalculation> {
    const address = addressOf(caller, path);
    const request = { sheetId: address.sheetId, ...selection, ...options };
    const choose: ChooseCells = async (tx, sheet, columns) => {
      const wanted = await selectCells(tx, sheet, columns, selection);
      const cellCount = countCells(wanted);
      const large = cellCount > this.config.recalculationConfirmThreshold;
      return !large || isConfirmed(request, token) ? wanted : cellCount;
    };
    const result = await this.queue(address, { ...options, startedBy: caller.keyName }, choose);
    return typeof result === 'number'
      ? { kind: 'unconfirmed', cellCount: result, token: confirmationToken(request) }
      : result;
  }

  /** Queues named cells, whatever their state. Also returns how many were named. */
  async startCells(
    caller: Caller,
    path: SheetPath,
    named: NamedCells,
    isForced: boolean,
  ): Promise<Exclude<Recalculation, UnconfirmedRecalculation> & { selected: number }> {
    if (named.cellIds.length === 0 && named.columnIds.length === 0) throw TableErrors.cell_ids_missing();
    let selected = 0;
    const choose: ChooseCells<never> = (_, sheet, columns) => {
      const { selection, count } = selectNamedCells(sheet, columns, named);
      selected = count;
      return Promise.resolve(selection);
    };
    const result = await this.queue(addressOf(caller, path), { isForced, startedBy: caller.keyName }, choose);
    return { ...result, selected };
  }

  /** Cancels the cells that have not been computed yet. Later results are dropped. */
  async cancel(caller: Caller, path: SheetPath, operationId: string): Promise<CancelledCells> {
    const cancelled = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, addressOf(caller, path));
      const executionId = operationId.toLowerCase();
      const taken = await cancelTasks(tx, this.types, sheet, { executionId });
      const count = taken.notStarted + taken.running;
      if (count > 0) {
        const details = { sheet_id: sheet.id, cells: count };
        await audit(tx, caller, { action: 'operation.cancel', entityId: executionId, details });
      }
      return taken;
    });
    this.notifier.notifyBoth();
    return cancelled;
  }

  /** Queues cells, or returns their number if they need a confirmation. */
  private async queue<N extends number>(
    address: SheetAddress,
    options: Omit<QueueRequest, 'cells'>,
    choose: ChooseCells<N>,
  ): Promise<Exclude<Recalculation, UnconfirmedRecalculation> | N> {
    const { version, queued, chosen } = await this.db.transaction(async (tx) => {
      const sheet = await lockSheet(tx, address);
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const cells = await choose(tx, sheet, columns);
      const isChosen = typeof cells !== 'number';
      const queuedCells = isChosen ? await queueCells(tx, sheet, columns, { cells, ...options }) : null;
      return { version: sheet.version, queued: queuedCells, chosen: isChosen ? null : cells };
    });
    if (chosen !== null) return chosen;
    if (!queued) return { kind: 'nothing' };
    this.notifier.notify(queued);
    return { kind: 'queued', queued, version };
  }
}

/** Returns the cells, or the number of cells that need a confirmation. */
type ChooseCells<N extends number = number> = (
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumns,
) => Promise<Selection | N>;
