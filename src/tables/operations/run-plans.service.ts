import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Caller } from '../../access/index.js';
import { CONFIG, type Config } from '../../platform/config/config.js';
import { withoutNoise } from '../../platform/numbers.js';
import { ModelPrices } from '../../requests/index.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import type { SheetColumn } from '../grid/columns/column.entity.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { type CostSource, type ColumnCost, estimateColumns } from '../grid/computing/run-plan.js';
import { type CellSelection, countCells, selectCells } from '../grid/computing/select-cells.js';
import { getSheet } from '../sheets/lock-sheet.js';
import type { SheetPath } from '../sheets/sheets.dto.js';
import { addressOf } from '../sheets/sheets.service.js';
import { priceEstimates } from '../grid/computing/price-estimate.js';

/** Totals over the cells of a column; null where nothing tells. */
export interface PlannedColumn {
  column: SheetColumn;
  cellCount: number;
  /** null for a column that is computed by the server itself. */
  source: CostSource | null;
  inputTokens: number | null;
  outputTokens: number | null;
  price: number | null;
  seconds: number | null;
}

export interface RunPlan {
  cellCount: number;
  columns: PlannedColumn[];
}

/** Says what a recalculation would take, without starting it. */
@Injectable()
export class RunPlansService {
  constructor(
    private readonly db: DataSource,
    private readonly types: ColumnTypes,
    private readonly prices: ModelPrices,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  plan(caller: Caller, path: SheetPath, selection: CellSelection): Promise<RunPlan> {
    const { workspaceId } = caller;
    return this.db.transaction('REPEATABLE READ', async (tx) => {
      const sheet = await getSheet(tx, addressOf(caller, path));
      const columns = await SheetColumns.read(tx, this.types, sheet);
      const selected = await selectCells(tx, sheet, columns, selection);
      const cells = new Map([...selected].filter(([, rows]) => !rows.isEmpty));
      const priceOf = priceEstimates(this.prices, workspaceId);
      const costs = await estimateColumns(tx, columns, { workspaceId, cells, priceOf });
      const planned = [...cells].map(([column, { count }]) => this.total(column, count, costs.get(column)));
      return { cellCount: countCells(cells), columns: planned };
    });
  }

  private total(column: SheetColumn, cellCount: number, cost: ColumnCost | undefined): PlannedColumn {
    if (!cost) {
      return { column, cellCount, source: null, inputTokens: 0, outputTokens: 0, price: 0, seconds: null };
    }
    const { inputTokens, outputTokens, price, latencyMs } = cost.perCell;
    const rounds = Math.ceil(cellCount / this.config.externalConcurrencyPerWorkspace);
    return {
      column,
      cellCount,
      source: cost.source,
      inputTokens: times(inputTokens, cellCount, Math.round),
      outputTokens: times(outputTokens, cellCount, Math.round),
      price: times(price, cellCount, withoutNoise),
      seconds: times(latencyMs, rounds, (ms) => Math.ceil(ms / 1000)),
    };
  }
}

function times(value: number | null, count: number, round: (total: number) => number): number | null {
  return value === null ? null : round(value * count);
}
