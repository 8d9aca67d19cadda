import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OwnedColumns, OwnedSheets } from '../../tables/index.js';
import { ScoreFailure, SheetScorer, type SheetScoring, type SheetToScore } from '../../scoring/index.js';
import { shownValue } from '../columns/report-column-types.js';
import { type PlacedColumn, placeColumns, scoredColumns } from '../reports/find-reports.js';
import type { Report } from '../reports/report.entity.js';
import { noScore, type ReportScore, type ScoreCode, type ScoreMatrix, toReportScore } from './report-score.js';

/** Result of scoring a run. */
export interface ScoredReport {
  score: ReportScore | null;
  scoreMatrix: ScoreMatrix[] | null;
  scoreError: string | null;
}

/** Rules for the score of a run. */
export interface ScoreCard {
  code: ScoreCode | null;
  /** Names of the columns that count. By default the marked columns count. */
  columnNames?: string[];
}

/** Only true and false are verdicts; 1 and 0 are numbers. */
export const READ_AS = { true_values: ['true'], false_values: ['false'] };

const MOST_MATRICES = 100;

/** Scores runs with the scoring of sheets. */
@Injectable()
export class ReportScorer {
  constructor(
    private readonly sheets: OwnedSheets,
    private readonly columns: OwnedColumns,
    private readonly scorer: SheetScorer,
  ) {}

  /** Scores the cells in one snapshot. Errors of the code are returned as `scoreError`. */
  async score(report: Report, card: ScoreCard, signal: AbortSignal): Promise<ScoredReport> {
    try {
      const scored = await this.scorer.score((tx) => this.find(tx, report, card), signal);
      if (!scored) return { score: noScore('The report has no column to score.'), scoreMatrix: null, scoreError: null };
      const score = toReportScore(scored.result, card.code);
      const scoreMatrix = 'matrix' in score.details ? score.details.matrix : null;
      return { score, scoreMatrix, scoreError: null };
    } catch (error) {
      if (error instanceof ScoreFailure) return { score: null, scoreMatrix: null, scoreError: error.message };
      throw error;
    }
  }

  /** null when there is nothing to score. */
  private async find(tx: EntityManager, report: Report, card: ScoreCard): Promise<SheetToScore | null> {
    const sheet = await this.sheets.find(tx, report.workspaceId, report.sheetId);
    if (!sheet) throw new ScoreFailure('The rows of the report were deleted.');
    const columns = await this.columns.read(tx, sheet);
    const scoring = scoringOf(report, card, await placeColumns(tx, report, columns));
    return scoring && { tx, sheet, columns, scoring };
  }
}

/** Code gets the values that rows of reports show. */
const show: SheetScoring['show'] = ({ type }, value) => shownValue(type, value);

/** null when there is nothing to score. */
function scoringOf(
  { workspaceId, createdBy: keyId }: Report,
  { code, columnNames: names }: ScoreCard,
  placed: PlacedColumn[],
): SheetScoring | null {
  const owner = { workspaceId, keyId };
  if (code) return { type: 'custom', config: { ...code }, columns: null, owner, mostMatrices: MOST_MATRICES, show };
  const marked = names ? placed.map((each) => ({ ...each, isPartOfScore: names.includes(each.column.title) })) : placed;
  const columns = scoredColumns(marked);
  return columns.length === 0 ? null : { type: 'auto', config: READ_AS, columns, owner, isStrict: true };
}
