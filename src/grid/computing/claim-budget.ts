import { SheetColumns } from '../columns/sheet-columns.js';
import { RowSet } from '../shared/row-set.js';
import type { SheetColumn } from '../columns/column.entity.js';
import type { ExternalEngine } from './external-engine.js';
import { priceEstimates } from './price-estimate.js';
import type { WorkInputs } from './read-work.js';
import type { Reservation } from './reservations.queries.js';
import type { RowResult } from './result-store.js';
import { estimateColumns } from './run-plan.js';
import type { ClaimedCells } from './tasks.queries.js';

/** Reserves the cost of a claim's cells. Nothing is reserved where the execution has no `max_cost`. */
export class ClaimBudget {
  /** Whether the budget does not suffice for another call, although no call is running. */
  isSpent = false;
  private readonly isLimited: boolean;
  /** US dollars that are reserved, by column and row. */
  private readonly amounts = new Map<string, number>();

  constructor(
    private readonly engine: ExternalEngine,
    private readonly claim: ClaimedCells,
    private readonly inputs: Pick<WorkInputs, 'sheet' | 'execution'>,
  ) {
    this.isLimited = inputs.execution.maxCost !== null;
  }

  /** Reserves the estimated cost of these cells; returns the rows that may not begin. */
  async reserve(column: SheetColumn, rows: number[]): Promise<RowSet> {
    if (!this.isLimited || rows.length === 0) return RowSet.EMPTY;
    const isKnown = column.key in this.inputs.execution.dearestCells;
    const estimate = isKnown ? null : await this.estimate(column, rows);
    const outcomes = await Promise.all(rows.map((row) => this.ask(column, row, { estimate, needed: null })));
    this.isSpent ||= outcomes.some(({ outcome }) => outcome === 'spent');
    return RowSet.of(rows.filter((_, index) => outcomes[index]!.outcome !== 'granted'));
  }

  /** Reserves the total cost of a cell after another call. False when the call must not begin. */
  async reserveMore(column: SheetColumn, row: number, needed: number): Promise<boolean> {
    if (!this.isLimited || needed <= (this.amounts.get(keyOf(column, row)) ?? 0)) return true;
    return (await this.ask(column, row, { estimate: null, needed })).outcome === 'granted';
  }

  /** An interrupted call may have been paid for. */
  costOf(column: SheetColumn, { row, cost, isGivenUp = false }: RowResult): number {
    return isGivenUp ? Math.max(cost, this.amounts.get(keyOf(column, row)) ?? 0) : cost;
  }

  /** Called when a cell was stored, or its result is not needed any more. */
  ended(): void {
    if (this.isLimited) this.engine.budgets.ended(this.claim.executionId);
  }

  private async ask(
    column: SheetColumn,
    row: number,
    amounts: { estimate: number | null; needed: number | null },
  ): Promise<Reservation> {
    const { workspaceId, executionId, claim } = this.claim;
    const request = { workspaceId, executionId, claim, columnKey: column.key, row, ...amounts };
    const reservation = await this.engine.budgets.reserve(request);
    if (reservation.outcome === 'granted') this.amounts.set(keyOf(column, row), reservation.amount);
    return reservation;
  }

  /** Estimates the cost like a plan. It stays unknown if the column type fails to estimate it. */
  private async estimate(column: SheetColumn, rows: number[]): Promise<number | null> {
    const { claims, tools } = this.engine;
    const { db, types } = claims;
    const { workspaceId } = this.claim;
    const columns = await SheetColumns.read(db.manager, types, this.inputs.sheet);
    const own = columns.byKey(column.key);
    if (!own) return null;
    const work = {
      workspaceId,
      cells: new Map([[own, RowSet.of(rows)]]),
      priceOf: priceEstimates(tools.prices, workspaceId),
    };
    const costs = await estimateColumns(db.manager, columns, work).catch(() => null);
    return costs?.get(own)?.perCell.price ?? null;
  }
}

const keyOf = ({ key }: SheetColumn, row: number): string => `${key}:${row}`;
