import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { emit } from '../../events/index.js';
import { type ClaimedRow, now, RowWork, type WorkTable } from '../../platform/work/row-work.js';
import type { WorkControl } from '../../platform/work/work-kind.js';
import { Report } from '../reports/report.entity.js';
import { ReportSheets } from '../reports/report-sheets.js';
import { ReportScorer, type ScoredReport } from '../scores/report-scorer.js';
import { ReportEvents } from './report-events.js';
import { RunsService } from './runs.service.js';

/** A run that is to be filled waits for its version of a dataset, and one that is to be scored for its rows and cells. */
export const RUN_ROWS: WorkTable = {
  name: 'evaluation run',
  table: 'reports',
  idType: 'integer',
  open: `w.status IN ('queued', 'running') AND w.deleted_at IS NULL AND CASE w.step
    WHEN 'fill' THEN NOT EXISTS (
      SELECT FROM dataset_versions d
       WHERE d.workspace_id = w.workspace_id AND d.id = w.dataset_id AND d.state <> 'published')
    ELSE NOT EXISTS (
      SELECT FROM import_operations i
       WHERE i.workspace_id = w.workspace_id AND i.sheet_id = w.sheet_id AND i.status IN ('queued', 'running'))
     AND NOT EXISTS (
      SELECT FROM executions e
       WHERE e.workspace_id = w.workspace_id AND e.sheet_id = w.sheet_id AND e.finished_at IS NULL)
    END`,
  claimed: 'updated_at = now()',
  givenBack: 'updated_at = now()',
};

/** Completes runs: adds rows of datasets that were not published at the start, and scores them. */
@Injectable()
export class RunWork extends RowWork<Report> {
  constructor(
    db: DataSource,
    private readonly sheets: ReportSheets,
    private readonly runs: RunsService,
    private readonly scorer: ReportScorer,
  ) {
    super(db, RUN_ROWS, Report);
  }

  async work(claim: ClaimedRow, { signal }: WorkControl): Promise<void> {
    const report = await this.readClaimed(this.db.manager, claim);
    if (report.step === 'fill') return this.fill(claim, report);
    // The rows could not be copied: there is nothing to score.
    if (report.scoreError !== null) return this.complete(claim, unscored(report.scoreError));
    await this.complete(claim, await this.scorer.score(report, { code: report.scoreConfiguration }, signal));
  }

  /** A run ends whatever happens. */
  fail(claim: ClaimedRow, error: unknown): Promise<void> {
    const message = this.messageOf(error, claim, 'The run failed because of an error on the server.');
    return this.complete(claim, unscored(message));
  }

  private async fill(claim: ClaimedRow, report: Report): Promise<void> {
    const begin = await this.db.transaction(async (tx) => {
      await this.requeue(tx, claim, { step: 'score' });
      return this.runs.fillWaiting(tx, report, claim.claim);
    });
    await begin();
  }

  private complete(claim: ClaimedRow, { score, scoreMatrix, scoreError }: ScoredReport): Promise<void> {
    return this.db.transaction(async (tx) => {
      const report = await this.readClaimed(tx, claim);
      const statusCounts = await this.sheets.count(tx, report);
      const stored = { score, scoreMatrix, scoreError, statusCounts } as object;
      await this.end(tx, claim, { status: 'completed', step: null, updatedAt: now, ...stored });
      const { workspaceId, id, name, createdBy: keyId } = report;
      const announcer = { workspaceId, keyId, requestId: claim.claim };
      await emit(tx, announcer, ReportEvents.finished({ report_id: id, report_name: name }));
    });
  }
}

function unscored(scoreError: string): ScoredReport {
  return { score: null, scoreMatrix: null, scoreError };
}
