import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ModelPrices } from '../../requests/index.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { estimateColumns } from '../../grid/computing/run-plan.js';
import { countCells } from '../../grid/computing/select-cells.js';
import { priceEstimates } from '../../grid/computing/price-estimate.js';
import type { Regression } from './regression.entity.js';
import { cellsToCompute, type VersionContent } from './version-content.js';

/** What computing a version costs, in US dollars. */
export interface StepSpending {
  cost: number;
  /** True when it was ended before everything was computed, because it had cost what was left. */
  isSpent: boolean;
}

/** Adds what is being computed in the copy of a version. `before` is the search as it was. */
export const COST_WITH_COPY = `before.cost + coalesce(
  (SELECT e.cost FROM executions e WHERE e.workspace_id = $1 AND e.id = before.scratch_execution_id), 0)`;

/** What was spent for the version that a search looks at; nothing where it computes none. */
export async function readSpending(
  tx: EntityManager,
  { workspaceId, scratchExecutionId: id }: Pick<Regression, 'workspaceId' | 'scratchExecutionId'>,
): Promise<StepSpending> {
  const execution = id && (await tx.findOneBy(Execution, { workspaceId, id }));
  if (!execution) return { cost: 0, isSpent: false };
  return { cost: execution.cost, isSpent: execution.status === 'cancelled' && execution.maxCost !== null };
}

/** Says what looking at a version would cost before it is done. */
@Injectable()
export class SearchCosts {
  constructor(private readonly prices: ModelPrices) {}

  /**
   * As much as the dearest version that was computed for the search, cell by cell; for the first one what a plan would say. Results that
   * turn out to be known cost nothing, so it is at most this as a rule. Cells without a known price count as free.
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
