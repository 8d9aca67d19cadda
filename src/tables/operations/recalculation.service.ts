import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { parseCellId } from '../grid/cells/cell-id.js';
import { ChunkStates } from '../grid/states/chunk-states.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { RowSet } from '../grid/rows/row-set.js';
import { lockSheet, type SheetAddress } from '../sheets/lock-sheet.js';
import type { Sheet } from '../grid/sheet.entity.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { GridErrors } from '../grid/grid.errors.js';
import { TableErrors } from '../tables.errors.js';
import { cancelTasks, type CancelledCells } from '../grid/computing/cancel-tasks.js';
import { ComputationBell } from '../grid/computing/computation-bell.js';
import { isConfirmed } from './confirmation.js';
import { queueCells, type QueuedCells, type Selection } from '../grid/computing/queue-cells.js';

export const CELL_STATES = ['STALE', 'QUEUED', 'DISPATCHED', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
export type CellState = (typeof CELL_STATES)[number];

/** Which computed cells; null everywhere means all. */
export interface CellSelection {
  columnIds: string[] | null;
  rows: number[] | null;
  /** Empty means every state. */
  states: CellState[];
}

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
      const chosen = chooseColumns(columns, selection.columnIds);
      const wanted = await select(tx, sheet, chosen, selection);
      const cellCount = [...wanted.values()].reduce((sum, rows) => sum + rows.count, 0);
      const large = cellCount > this.config.recalculationConfirmThreshold;
      const confirmed = !large || isConfirmed({ sheetId: sheet.id, ...selection }, token);
      return confirmed ? wanted : cellCount;
    });
  }

  /** Queues cells by id, whatever their state. Gives how many were asked for as well. */
  async startCells(caller: Caller, path: SheetPath, cellIds: string[]): Promise<Recalculation & { selected: number }> {
    if (cellIds.length === 0) throw TableErrors.cell_ids_missing();
    const ids = [...new Set(cellIds.map((id) => id.toLowerCase()))];
    const result = await this.queue(addressOf(caller, path), async (_, sheet, columns) =>
      toSelection(sheet, columns, ids),
    );
    return { ...result, selected: ids.length };
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

function chooseColumns(columns: SheetColumns, ids: string[] | null): SheetColumn[] {
  if (ids === null) return columns.computed;
  return ids.map((id) => {
    const column = columns.find(id);
    if (!column) throw GridErrors.column_not_found(id);
    if (!columns.isComputed(column)) throw GridErrors.column_not_computed(column.title);
    return column;
  });
}

async function select(
  tx: EntityManager,
  sheet: Sheet,
  columns: SheetColumn[],
  selection: CellSelection,
): Promise<Selection> {
  const rows = selection.rows === null ? sheet.rows : RowSet.of(selection.rows).intersect(sheet.rows);
  const keys = columns.map((column) => column.key);
  const states = await ChunkStates.read(tx, sheet.workspaceId, keys, { from: 0, to: sheet.rows.end });
  const wants = (state: CellState) => selection.states.length === 0 || selection.states.includes(state);
  return new Map(
    columns.map((column) => {
      const stale = states.stale(column.key).intersect(rows);
      const failed = states.failed(column.key).intersect(rows).without(stale);
      const completed = rows.without(stale).without(failed);
      // Pending cells belong to the operation that has them already.
      const parts = [wants('STALE') ? stale : [], wants('FAILED') ? failed : [], wants('COMPLETED') ? completed : []];
      return [column, RowSet.union(parts.flat())];
    }),
  );
}

function toSelection(sheet: Sheet, columns: SheetColumns, ids: string[]): Selection {
  const rows = new Map<SheetColumn, number[]>();
  for (const id of ids) {
    const address = parseCellId(id);
    const column = address && columns.byKey(address.columnKey);
    if (!column || !sheet.rows.has(address.rowIndex)) throw GridErrors.cell_not_found(id);
    // Text cells have nothing to compute; asking for them is no mistake.
    if (!columns.isComputed(column)) continue;
    const indexes = rows.get(column);
    if (indexes) indexes.push(address.rowIndex);
    else rows.set(column, [address.rowIndex]);
  }
  return new Map([...rows].map(([column, indexes]) => [column, RowSet.of(indexes)]));
}
