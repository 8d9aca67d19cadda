import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { ReadingPool } from '../../platform/database/reading-pool.js';
import { withoutNoise } from '../../platform/numbers.js';
import { ModelPrices } from '../../requests/index.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import type { SheetColumn } from '../../grid/columns/column.entity.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { countKnownResults } from '../../grid/computing/known-results.js';
import type { Selection } from '../../grid/computing/queue-cells.js';
import { type CostSource, type ColumnCost, estimateColumns } from '../../grid/computing/run-plan.js';
import { type CellSelection, countCells, selectCells } from '../../grid/computing/select-cells.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { priceEstimates } from '../../grid/computing/price-estimate.js';

/** Totals over the cells of a column; null for unknown ones. */
export interface PlannedColumn {
  column: SheetColumn;
  cellCount: number;
  /** null for a column that the server computes alone. */
  source: CostSource | null;
  inputTokens: number | null;
  outputTokens: number | null;
  price: number | null;
  seconds: number | null;
  /** Minimum number of cells with a known result. */
  reusable: number;
  /** Price of the other cells. */
  priceWithReuse: number | null;
}

export interface RunPlan {
  cellCount: number;
  columns: PlannedColumn[];
}

/** Estimates the cost of a recalculation without starting it. */
@Injectable()
export class RunPlansService {
  constructor(
    private readonly reading: ReadingPool,
    private readonly types: ColumnTypes,
    private readonly prices: ModelPrices,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  plan(caller: Caller, path: SheetPath, selection: CellSelection): Promise<RunPlan> {
    return this.planCells(caller, path, (tx, sheet, columns) => selectCells(tx, sheet, columns, selection));
  }

  /**
   * Estimates the cost of computing the cells that are chosen in a sheet. Column types read prompts and credentials
   * with connections of the main pool meanwhile. Planning therefore holds none of these: otherwise plans could hold all
   * of them and wait for each other.
   */
  planCells(caller: Caller, path: SheetPath, choose: ChooseCells): Promise<RunPlan> {
    const { workspaceId } = caller;
    return this.reading.read(async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      return this.planIn(tx, columns, { workspaceId, cells: await choose(tx, sheet, columns) });
    });
  }

  /** Estimates the cost of computing these cells. A column need not be stored. */
  async planIn(
    tx: EntityManager,
    columns: SheetColumns,
    { workspaceId, cells: chosen }: { workspaceId: number; cells: Selection },
  ): Promise<RunPlan> {
    const cells = new Map([...chosen].filter(([, rows]) => !rows.isEmpty));
    const priceOf = priceEstimates(this.prices, workspaceId);
    const costs = await estimateColumns(tx, columns, { workspaceId, cells, priceOf });
    const known = await countKnownResults(tx, columns, { workspaceId, cells, days: this.config.cellMemoDays });
    const planned = [...cells].map(([column, { count }]) => {
      const counts = { cellCount: count, reusable: known.get(column) ?? 0 };
      return { column, ...counts, ...this.total(counts, costs.get(column)) };
    });
    return { cellCount: countCells(cells), columns: planned };
  }

  private total(
    { cellCount, reusable }: { cellCount: number; reusable: number },
    cost: ColumnCost | undefined,
  ): Omit<PlannedColumn, 'column' | 'cellCount' | 'reusable'> {
    if (!cost) {
      return { source: null, inputTokens: 0, outputTokens: 0, price: 0, seconds: null, priceWithReuse: 0 };
    }
    const { inputTokens, outputTokens, price, latencyMs } = cost.perCell;
    const rounds = Math.ceil(cellCount / this.config.externalConcurrencyPerWorkspace);
    return {
      source: cost.source,
      inputTokens: times(inputTokens, cellCount, Math.round),
      outputTokens: times(outputTokens, cellCount, Math.round),
      price: times(price, cellCount, withoutNoise),
      seconds: times(latencyMs, rounds, (ms) => Math.ceil(ms / 1000)),
      priceWithReuse: reusable === cellCount ? 0 : times(price, cellCount - reusable, withoutNoise),
    };
  }
}

export type ChooseCells = (tx: EntityManager, sheet: Sheet, columns: SheetColumns) => Promise<Selection>;

function times(value: number | null, count: number, round: (total: number) => number): number | null {
  return value === null ? null : round(value * count);
}
