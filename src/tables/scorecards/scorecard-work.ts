import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Statement } from '../../platform/database/statement.js';
import { type ClaimedRow, CLAIM_HOLDS, keyOfClaim, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import { AttemptsSpent, WorkAborted, type WorkControl } from '../../platform/work/work-kind.js';
import { ColumnTypes } from '../grid/column-type/column-type.js';
import { SheetColumns } from '../grid/columns/sheet-columns.js';
import { Execution } from '../grid/computing/execution.entity.js';
import { findLiveSheet, SHEET_OF_WORK_LIVES } from '../grid/lock-sheet.js';
import { attachScore } from '../scoring/version-scores.queries.js';
import type { CalculationResult } from './calculation-plan.js';
import { baselineOf, findCalculation, findNewest, forgetOldCalculations } from './calculations.queries.js';
import { RowScoring, type ScoredMoment } from './score-rows.js';
import { scoreAggregates, SheetTally } from './score-sheet.js';
import { ScorecardCalculation } from './scorecard-calculation.entity.js';
import { clearRows, insertRows } from './scorecard-rows.queries.js';
import { signaturesAfter } from './signatures.js';
import { findScorecard } from './stored-scorecard.queries.js';

/** A calculation whose operation has ended. */
type CalculatedMoment = ScoredMoment & { execution: Execution | null };

/** Its cells have been computed, or there were none to compute. */
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

/** Makes results of the cells of scorecards when all of them are computed. */
@Injectable()
export class ScorecardWork extends RowWork {
  private readonly log = new Logger(ScorecardWork.name);

  constructor(
    db: DataSource,
    private readonly types: ColumnTypes,
  ) {
    super(db, SCORECARD_ROWS);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const scored = await this.db.transaction('REPEATABLE READ', async (tx) => {
      const moment = await this.readMoment(tx, claim);
      return moment && { moment, result: await this.score(moment, claim, signal) };
    });
    if (!scored) await this.end(claim, 'cancelled', null);
    else await this.db.transaction((tx) => complete(tx, claim, scored.moment, scored.result));
  }

  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const isExpected = error instanceof AttemptsSpent;
    if (!isExpected) this.log.error(`Scorecard ${claim.id}: ${error instanceof Error ? error.stack : String(error)}`);
    const message = isExpected ? error.message : 'The calculation failed because of an error on the server.';
    await this.end(claim, 'failed', message);
  }

  /** null when nobody wants the result any more. */
  private async readMoment(tx: EntityManager, claim: ClaimedRow): Promise<CalculatedMoment | null> {
    const { workspaceId, id } = claim;
    const calculation = await tx.findOneBy(ScorecardCalculation, { workspaceId, id, claim: claim.claim });
    if (!calculation) throw new WorkAborted('lease_lost');
    const { sheetId } = calculation;
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

  /** Stores the results of the rows while it reads them; nobody looks at them before the calculation is complete. */
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
    const reusedCells = moment.execution?.reusedCount ?? 0;
    return { ...tally.result(aggregates), reusedCells, signatures: signaturesAfter(calculation, previous) };
  }

  private async end(claim: ClaimedRow, status: 'cancelled' | 'failed', message: string | null): Promise<void> {
    await this.db.query(
      `UPDATE scorecard_calculations SET status = $4, error = $5, claim = NULL, completed_at = now() WHERE ${CLAIM_HOLDS}`,
      [...keyOfClaim(claim), status, message],
    );
  }
}

/** What has computed the cells; null when there were none to compute. */
async function findExecution(
  tx: EntityManager,
  { workspaceId, executionId }: ScorecardCalculation,
): Promise<Execution | null> {
  return executionId === null ? null : tx.findOneBy(Execution, { workspaceId, id: executionId });
}

const COMPLETE = new Statement<{ calculatedAt: Date }>(`
  UPDATE scorecard_calculations
     SET status = 'completed', result = $4::jsonb, rows = $5::int4multirange, version = $6, completed_at = now(), claim = NULL
   WHERE ${CLAIM_HOLDS} RETURNING completed_at AS "calculatedAt"`);

/** Stores what came of a claim and attaches the score to its version; throws when another worker has taken over. */
async function complete(
  tx: EntityManager,
  claim: ClaimedRow,
  { sheet, calculation }: ScoredMoment,
  result: CalculationResult,
): Promise<void> {
  const rows = calculation.rows.intersect(sheet.rows);
  const { id: sheetId, version } = sheet;
  const values = [...keyOfClaim(claim), JSON.stringify(result), rows.toString(), version];
  const [completed] = await COMPLETE.run(tx, values);
  if (!completed) throw new WorkAborted('lease_lost');
  const { workspaceId } = claim;
  const scorecard = await findScorecard(tx, sheet);
  if (scorecard) await forgetOldCalculations(tx, scorecard, baselineOf(scorecard));
  if (result.score === null) return;
  const { score } = result;
  await attachScore(tx, {
    workspaceId,
    sheetId,
    version,
    score,
    scoreType: 'scorecard',
    source: 'scorecard',
    ...completed,
  });
}
