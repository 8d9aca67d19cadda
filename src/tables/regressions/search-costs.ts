import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ModelPrices } from '../../requests/index.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { estimateColumns } from '../../grid/computing/run-plan.js';
import { countCells } from '../../grid/computing/select-cells.js';
import { priceEstimates } from '../../grid/computing/price-estimate.js';
import type { Regression } from './regression.entity.js';
import { cellsToCompute, type VersionContent } from './version-content.js';

/** The cost of computing a version, in US dollars. */
export interface StepSpending {
  cost: number;
  /** True when the computation was stopped early because it had used up the budget. */
  isSpent: boolean;
}

/** Adds the cost of the version that is being computed. `before` is the search as it was. */
export const COST_WITH_COPY = `before.cost + coalesce(
  (SELECT e.cost FROM executions e WHERE e.workspace_id = $1 AND e.id = before.scratch_execution_id), 0)`;

/** Reads the cost of the version that a search is computing; 0 for none. */
export async function readSpending(
  tx: EntityManager,
  { workspaceId, scratchExecutionId: id }: Pick<Regression, 'workspaceId' | 'scratchExecutionId'>,
): Promise<StepSpending> {
  const execution = id && (await tx.findOneBy(Execution, { workspaceId, id }));
  if (!execution) return { cost: 0, isSpent: false };
  return { cost: execution.cost, isSpent: execution.status === 'cancelled' && execution.maxCost !== null };
}

/** Estimates the cost of scoring a version. */
@Injectable()
export class SearchCosts {
  constructor(private readonly prices: ModelPrices) {}

  /**
   * Estimates the cost of a version: the highest cost per cell in the versions of the search so far, or that of a plan
   * for the first one. Results that turn out to be known cost nothing, so the estimate is usually an upper limit. Cells
   * without a known price count as free.
   */
  async expect(tx: EntityManager, { workspaceId, steps }: Regression, content: VersionContent): Promise<number> {
    const cells = cellsToCompute(content);
    const rates = steps.flatMap(({ cost, cells: { computed, failed } }) =>
      cost === undefined || computed + failed === 0 ? [] : [cost / (computed + failed)],
    );
    if (rates.length > 0) return Math.max(...rates) * countCells(cells);
    const priceOf = priceEstimates(this.prices, workspaceId);
    const costs = await estimateColumns(tx, content.columns, { workspaceId, cells, priceOf });
    return [...costs].reduce((sum, [column, { perCell }]) => sum + (perCell.price ?? 0) * cells.get(column)!.count, 0);
  }
}
