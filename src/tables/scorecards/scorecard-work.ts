import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import type { WorkControl } from '../../platform/work/work-kind.js';
import { ColumnTypes } from '../../grid/column-type/column-type.js';
import { SheetColumns } from '../../grid/columns/sheet-columns.js';
import { Execution } from '../../grid/computing/execution.entity.js';
import { findLiveSheet, SHEET_OF_WORK_LIVES } from '../../grid/shared/lock-sheet.js';
import { attachScore } from '../../scoring/index.js';
import type { CalculationResult } from './calculation-plan.js';
import { baselineOf, findCalculation, findNewest, forgetOldCalculations } from './calculations.queries.js';
import { RowScoring, type ScoredMoment } from './score-rows.js';
import { scoreAggregates, SheetTally } from './score-sheet.js';
import { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { clearRows, insertRows } from './scorecard-rows.queries.js';
import { resolveScorers } from './scorer-print.js';
import { signaturesAfter } from './signatures.js';
import { findScorecard } from './stored-scorecard.queries.js';

/** A calculation whose operation has ended. */
interface CalculatedMoment extends ScoredMoment {
  calculation: ScorecardCalculation;
  execution: Execution | null;
}

/** Claimed when its cells have been computed, or there were none to compute. */
export const SCORECARD_ROWS: WorkTable = {
  name: 'scorecard',
  table: 'scorecard_calculations',
  idType: 'uuid',
  open: `w.status IN ('queued', 'running') AND NOT EXISTS (
    SELECT FROM executions e
     WHERE e.workspace_id = w.workspace_id AND e.id = w.execution_id AND e.finished_at IS NULL)`,
  wanted: SHEET_OF_WORK_LIVES,
  claimed: 'error = NULL',
  givenBack: 'error = NULL',
};

/** Makes results of scorecards when all their cells are computed. */
@Injectable()
export class ScorecardWork extends RowWork<ScorecardCalculation> {
  constructor(
    db: DataSource,
    private readonly types: ColumnTypes,
  ) {
    super(db, SCORECARD_ROWS, ScorecardCalculation);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const scored = await this.db.transaction('REPEATABLE READ', async (tx) => {
      const moment = await this.readMoment(tx, claim);
      return moment && { moment, result: await this.score(moment, claim, signal) };
    });
    if (!scored) await this.end(this.db.manager, claim, { status: 'cancelled', completedAt: now });
    else await this.db.transaction((tx) => this.complete(tx, claim, scored.moment, scored.result));
  }

  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'The calculation failed because of an error on the server.');
    return this.end(this.db.manager, claim, { status: 'failed', error: message, completedAt: now });
  }

  /** null when the result is not needed any more. */
  private async readMoment(tx: EntityManager, claim: ClaimedRow): Promise<CalculatedMoment | null> {
    const calculation = await this.readClaimed(tx, claim);
    const { workspaceId, sheetId } = calculation;
    const execution = await findExecution(tx, calculation);
    const sheet = await findLiveSheet(tx, workspaceId, sheetId);
    const scorecard = sheet && (await findScorecard(tx, sheet));
    if (!sheet || scorecard?.id !== calculation.scorecardId) return null;
    if (execution?.status === 'cancelled') return null;
    const columns = await SheetColumns.read(tx, this.types, sheet);
    const previous = await findNewest(tx, scorecard, { completed: true });
    const baselineId = baselineOf(scorecard);
    const named = baselineId === null ? null : await findCalculation(tx, scorecard, baselineId);
    const baseline = named?.status === 'completed' ? named : previous;
    return { tx, sheet, columns, calculation, previous, baseline, execution };
  }

  /** Stores the results of the rows while reading them; they become visible when the calculation is complete. */
  private async score(moment: CalculatedMoment, claim: ClaimedRow, signal: AbortSignal): Promise<CalculationResult> {
    const { calculation, baseline, previous } = moment;
    await clearRows(this.db.manager, calculation);
    const tally = new SheetTally(calculation.plan, baseline);
    for await (const page of new RowScoring(moment).pages()) {
      signal.throwIfAborted();
      await insertRows(this.db.manager, claim, page.rows);
      tally.add(page);
    }
    const aggregates = await scoreAggregates(moment);
    const evaluated = (await findScorecard(moment.tx, moment.sheet))?.evaluatedColumnIds ?? [];
    const resolved = await resolveScorers(moment.columns, calculation.plan.steps, evaluated);
    const reusedCells = moment.execution?.reusedCount ?? 0;
    const signatures = signaturesAfter(calculation, previous);
    return { ...tally.result(aggregates), reusedCells, signatures, resolved };
  }

  /** Stores the result and attaches its score to the version. */
  private async complete(
    tx: EntityManager,
    claim: ClaimedRow,
    { sheet, calculation }: CalculatedMoment,
    result: CalculationResult,
  ): Promise<void> {
    const rows = calculation.rows.intersect(sheet.rows);
    const completed = { result: result as object, rows, version: sheet.version, completedAt: now };
    await this.end(tx, claim, { status: 'completed', ...completed });
    const scorecard = await findScorecard(tx, sheet);
    if (scorecard) await forgetOldCalculations(tx, scorecard, baselineOf(scorecard));
    await attachScore(tx, sheet, { score: result.score, scoreType: 'scorecard', source: 'scorecard' });
  }
}

/** Finds the execution that computed the cells; null when there were no cells to compute. */
async function findExecution(
  tx: EntityManager,
  { workspaceId, executionId }: ScorecardCalculation,
): Promise<Execution | null> {
  return executionId === null ? null : tx.findOneBy(Execution, { workspaceId, id: executionId });
}
