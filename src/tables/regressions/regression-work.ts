import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import type { WorkControl } from '../../platform/work/work-kind.js';
import type { QueuedCells } from '../../grid/computing/queue-cells.js';
import { findLiveSheet, lockLiveSheet, SHEET_DELETED, SHEET_OF_WORK_LIVES } from '../../grid/shared/lock-sheet.js';
import { RowSet } from '../../grid/shared/row-set.js';
import type { Sheet } from '../../grid/shared/sheet.entity.js';
import { findScorecardAt } from '../scorecards/stored-scorecard.queries.js';
import { type FirstFall, nextStep } from './bisection.js';
import { type CellUse, Regression, type RowScores } from './regression.entity.js';
import { type ScratchSheet, ScratchSheets } from './scratch-sheets.js';
import { readSpending, SearchCosts } from './search-costs.js';
import { rowsToCompute, type VersionContent } from './version-content.js';
import {
  readColumnScores,
  readScorecardScores,
  readStoredScores,
  type ScoreByRow,
  toRowScores,
  toStep,
} from './version-scores.js';

/** It waits while the cells of a version are computed, unless they were cancelled. */
export const REGRESSION_ROWS: WorkTable = {
  name: 'regression search',
  table: 'regressions',
  idType: 'uuid',
  open: `w.status IN ('queued', 'running') AND (NOT EXISTS (
    SELECT FROM executions e
     WHERE e.workspace_id = w.workspace_id AND e.sheet_id = w.scratch_sheet_id AND e.finished_at IS NULL)
    OR NOT ${SHEET_OF_WORK_LIVES})`,
  wanted: SHEET_OF_WORK_LIVES,
  claimed: 'error = NULL',
  givenBack: 'error = NULL',
};

/** The result of one visit of a worker to a search. */
type Visit = { isOver: boolean; queued: QueuedCells | null };

const GO_ON: Visit = { isOver: false, queued: null };
const OVER: Visit = { isOver: true, queued: null };

/**
 * Looks at one version after the other. The state of a search is stored after each, so that any worker can continue it.
 */
@Injectable()
export class RegressionWork extends RowWork<Regression> {
  constructor(
    db: DataSource,
    private readonly scratch: ScratchSheets,
    private readonly costs: SearchCosts,
  ) {
    super(db, REGRESSION_ROWS, Regression);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    let visit = GO_ON;
    while (!visit.isOver) {
      signal.throwIfAborted();
      visit = await this.db.transaction((tx) => this.advance(tx, claim));
    }
    this.scratch.notify(visit.queued);
  }

  async fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'The search failed because of an error on the server.');
    await this.db.transaction((tx) => this.finish(tx, claim, { status: 'failed', error: message }));
  }

  /** Records the result of a version, begins with the next one, or ends the search. */
  private async advance(tx: EntityManager, claim: ClaimedRow): Promise<Visit> {
    const regression = await this.readClaimed(tx, claim);
    // Locks the sheet while a version is copied: the newest version must not change meanwhile.
    const find = regression.scratchSheetId ? findLiveSheet : lockLiveSheet;
    const sheet = await find(tx, regression.workspaceId, regression.sheetId);
    if (!sheet) return this.finish(tx, claim, { status: 'failed', error: SHEET_DELETED });
    if (regression.scratchSheetId) return this.finishVersion(tx, claim, { sheet, regression });
    const { request, steps } = regression;
    const known = new Map(steps.map(({ version, outcome }) => [version, outcome]));
    const next = nextStep({ good: request.good, bad: request.bad, known });
    if ('found' in next) return this.finish(tx, claim, { status: 'completed', found: next.found });
    return this.beginVersion(tx, claim, { sheet, regression }, next.version);
  }

  /**
   * Scores a version at once when all of it is stored. Otherwise its missing cells are queued, and the search waits for
   * them.
   */
  private async beginVersion(
    tx: EntityManager,
    claim: ClaimedRow,
    { sheet, regression }: Place,
    version: number,
  ): Promise<Visit> {
    const content = await this.scratch.readVersion(tx, sheet, { request: regression.request, version });
    if (!rowsToCompute(content).isEmpty) return this.compute(tx, claim, { sheet, regression }, { content, version });
    const scores = await this.readStored(tx, sheet, regression, { content, rows: content.rows });
    const cells = { ...NOTHING, stored: content.rows.count * content.scored.length };
    await this.store(tx, claim, regression, { version, scores, cells, cost: 0 });
    return GO_ON;
  }

  /** Queues missing cells, unless this would exceed the budget of the search. The copy ends at that budget, too. */
  private async compute(
    tx: EntityManager,
    claim: ClaimedRow,
    { sheet, regression }: Place,
    { content, version }: { content: VersionContent; version: number },
  ): Promise<Visit> {
    const { maxCost, cost } = regression;
    const left = maxCost === null ? null : Math.max(0, maxCost - cost);
    const expected = left === null ? 0 : await this.costs.expect(tx, regression, content);
    if (left !== null && expected > left) {
      return this.finish(tx, claim, { status: 'stopped', error: wouldPass(version, expected, left) });
    }
    const { sheet: copy, queued } = await this.scratch.create(tx, sheet, content, left);
    const scratch = {
      scratchSheetId: copy.id,
      scratchVersion: version,
      scratchExecutionId: queued?.executionId ?? null,
    };
    await this.requeue(tx, claim, scratch);
    return { isOver: true, queued };
  }

  private async finishVersion(tx: EntityManager, claim: ClaimedRow, place: Place): Promise<Visit> {
    const { sheet, regression } = place;
    const { workspaceId, scratchSheetId, scratchVersion: version, request } = regression;
    const { cost, isSpent } = await readSpending(tx, regression);
    if (isSpent) return this.finish(tx, claim, { status: 'stopped', error: hasSpent(version!) });
    const content = await this.scratch.readVersion(tx, sheet, { request, version: version! });
    const copy = await this.scratch.read(tx, workspaceId, scratchSheetId!, content);
    if (!copy) throw new Error('The copy of the version is gone.');
    const rows = content.rows.without(copy.sheet.rows);
    const stored = await this.readStored(tx, sheet, regression, { content, rows });
    const scores = new Map([...stored, ...(await this.readComputed(tx, place, content, copy))]);
    const cells = await this.scratch.countCells(tx, copy.sheet, copy.columns);
    const scored = request.scoring.by === 'columns' ? content.scored.length : 0;
    const all = { ...cells, stored: cells.stored + rows.count * scored };
    await this.store(tx, claim, regression, { version: version!, scores, cells: all, cost });
    await this.scratch.delete(tx, workspaceId, copy.sheet.id);
    return GO_ON;
  }

  private readStored(
    tx: EntityManager,
    sheet: Sheet,
    { request: { scoring } }: Regression,
    { content, rows }: { content: VersionContent; rows: RowSet },
  ): Promise<ScoreByRow> {
    // Results of a scorecard are not stored with versions.
    if (scoring.by === 'scorecard') return Promise.resolve(new Map());
    return readStoredScores(tx, sheet, { content, rows, config: scoring.config });
  }

  private async readComputed(
    tx: EntityManager,
    { sheet, regression }: Place,
    { scored }: VersionContent,
    copy: ScratchSheet,
  ): Promise<ScoreByRow> {
    const { scoring } = regression.request;
    const idOf = (id: string) => copy.ids.get(id) ?? id;
    if (scoring.by === 'columns') {
      const keys = scored.map(({ id }) => copy.columns.require(idOf(id)).key);
      return readColumnScores(tx, copy.sheet, keys, scoring.config);
    }
    const scorecard = await findScorecardAt(tx, sheet, scoring.version);
    const steps = scorecard!.steps.map((step) => ({ ...step, id: idOf(step.id) }));
    return readScorecardScores(tx, copy, { ...scorecard!, steps });
  }

  private async store(
    tx: EntityManager,
    claim: ClaimedRow,
    { baseline, steps, request }: Regression,
    { version, cost, ...found }: { version: number; cost: number; scores: ScoreByRow; cells: CellUse },
  ): Promise<void> {
    const isGood = version === request.good;
    const step = { ...toStep(version, { ...found, baseline: isGood ? null : baseline }), cost };
    const kept: RowScores | null = isGood ? toRowScores(found.scores) : baseline;
    const known = { steps: [...steps, step], baseline: kept, cost: () => `cost + ${cost}`, ...NO_SCRATCH };
    await this.update(tx, claim, known);
  }

  /** Ends the search, deletes the copy of a version, and adds its cost so far. */
  private async finish(tx: EntityManager, claim: ClaimedRow, end: End): Promise<Visit> {
    const regression = await this.readClaimed(tx, claim);
    const cost = regression.cost + (await readSpending(tx, regression)).cost;
    await this.end(tx, claim, { ...end, cost, baseline: null, completedAt: now, ...NO_SCRATCH });
    if (regression.scratchSheetId) await this.scratch.delete(tx, claim.workspaceId, regression.scratchSheetId);
    return OVER;
  }
}

interface Place {
  sheet: Sheet;
  regression: Regression;
}

interface End {
  status: 'completed' | 'failed' | 'stopped';
  error?: string | null;
  found?: FirstFall | null;
}

const dollars = (amount: number): string => `${Number(amount.toPrecision(3))} US dollars`;

const wouldPass = (version: number, expected: number, left: number): string =>
  `The search was stopped by max_cost: version ${version} would be next and would cost about ${dollars(expected)}, but only ${dollars(left)} are left.`;

const hasSpent = (version: number): string =>
  `The search was stopped by max_cost, which was spent before version ${version} was computed completely.`;

const NOTHING: CellUse = { stored: 0, computed: 0, reused: 0, failed: 0 };

const NO_SCRATCH = { scratchSheetId: null, scratchVersion: null, scratchExecutionId: null };
