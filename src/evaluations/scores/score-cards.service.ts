import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { audit, type Caller, demand } from '../../access/index.js';
import { isSameName } from '../../platform/comparable-text.js';
import { InjectNotifier, WorkNotifier } from '../../platform/work/work-notifier.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { getReport, lockReport, type PlacedColumn } from '../reports/find-reports.js';
import { ReportSheets } from '../reports/report-sheets.js';
import { Report, ReportColumn } from '../reports/report.entity.js';
import { noScore, type ReportScore, type ScoreCode } from './report-score.js';
import { ReportScorer } from './report-scorer.js';

const NOT_COMPLETED = 'The run is not completed yet. Its score is known when it is.';

/** Reads the scores of runs and configures their scoring. */
@Injectable()
export class ScoreCardsService {
  constructor(
    private readonly db: DataSource,
    private readonly sheets: ReportSheets,
    private readonly scorer: ReportScorer,
    @InjectNotifier('evaluation-runs') private readonly workers: WorkNotifier,
  ) {}

  async score(caller: Caller, id: number): Promise<ReportScore> {
    const report = await getReport(this.db.manager, caller.workspaceId, id);
    if (report.isBlueprint) throw EvaluationErrors.report_score_of_blueprint();
    const { status, score, scoreError, scoreConfiguration } = report;
    if (status !== 'completed') return noScore(NOT_COMPLETED, scoreConfiguration !== null);
    return score ?? noScore(scoreError ?? NOT_COMPLETED, scoreConfiguration !== null);
  }

  /** Configures the score of a report. A completed run is scored again at once, and its score and score card are stored together. */
  async configure(
    caller: Caller,
    id: number,
    card: { columnNames: string[]; code: ScoreCode | null },
  ): Promise<Report> {
    const { workspaceId } = caller;
    const report = await getReport(this.db.manager, workspaceId, id);
    demand(caller, 'REPORT_EDIT');
    const named = requireColumns(await this.sheets.columnsOf(this.db.manager, report), card.columnNames);
    const isScored = !report.isBlueprint && report.status === 'completed';
    const names = named.map(({ column }) => column.title);
    const scored = isScored
      ? await this.scorer.score(report, { code: card.code, columnNames: names }, new AbortController().signal)
      : {};
    const configured = await this.db.transaction(async (tx) => {
      const { status, isBlueprint } = await lockReport(tx, workspaceId, id);
      if (!isBlueprint && !isScored && status === 'completed') return null;
      // A worker that is scoring the run has read the old score card, so it loses its claim.
      const anew = isBlueprint || isScored ? {} : { status: 'queued', claim: null, leaseUntil: null };
      const change = { scoreConfiguration: card.code, ...scored, ...anew, updatedAt: new Date() };
      await tx.update(Report, { workspaceId, id }, change as object);
      await mark(tx, report, named);
      await audit(tx, caller, { action: 'report.score_card', entityId: id, details: { columns: names } });
      return getReport(tx, workspaceId, id);
    });
    if (configured && !isScored) this.workers.notify();
    // The run was completed meanwhile with the old score card.
    return configured ?? this.configure(caller, id, card);
  }
}

async function mark(tx: EntityManager, { workspaceId, id: reportId }: Report, named: PlacedColumn[]): Promise<void> {
  await tx.update(ReportColumn, { workspaceId, reportId }, { isPartOfScore: false });
  if (named.length === 0) return;
  await tx.update(ReportColumn, { workspaceId, id: In(named.map(({ id }) => id)) }, { isPartOfScore: true });
}

/** Throws report_score_column_unknown. */
function requireColumns(placed: PlacedColumn[], names: string[]): PlacedColumn[] {
  return names.map((name) => {
    const found = placed.findLast(({ column }) => isSameName(column.title, name));
    if (!found) throw EvaluationErrors.report_score_column_unknown(name);
    return found;
  });
}
