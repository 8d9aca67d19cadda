import type { Language } from '../../platform/sandbox/code-runner.js';
import type { MatrixCell, ScoredColumn, ScoreResult } from '../../scoring/index.js';

/** Code that scores a report. Without it the columns are scored. */
export interface ScoreCode {
  code: string;
  code_language: Language;
}

export type ScoreMatrix = MatrixCell[][];

/** The score of one column: the percentage of true cells, or the mean of numbers. */
export interface ReportColumnScore {
  column_name: string;
  score: number | null;
  score_type: 'boolean' | 'numeric' | null;
  /** Cells that do not count: those that failed, hold nothing or were not computed. */
  num_skipped: number;
}

/** The score of a run, as the API shows it. */
export interface ReportScore {
  overall_score: number | null;
  score_type: 'single_column' | 'multi_column' | 'custom' | 'none';
  has_custom_scoring: boolean;
  details:
    | ReportColumnScore
    | { columns: ReportColumnScore[] }
    | { matrix: ScoreMatrix[]; sub_scores: Record<string, number>; configuration: ScoreCode | null }
    | { message: string };
}

const NOTHING_TO_SCORE = 'No column holds anything that can be scored: only true or false, and numbers.';

/** Result for a report without a score, with the reason. */
export function noScore(message: string, hasCustomScoring = false): ReportScore {
  return { overall_score: null, score_type: 'none', has_custom_scoring: hasCustomScoring, details: { message } };
}

/** Converts the result of sheet scoring to the form of reports, where booleans score from 0 to 100. */
export function toReportScore(result: ScoreResult, code: ScoreCode | null): ReportScore {
  if (result.custom) {
    const { matrix, matrices = matrix ? [matrix] : [], subScores } = result.custom;
    const details = { matrix: matrices, sub_scores: subScores, configuration: code };
    return { overall_score: result.score, score_type: 'custom', has_custom_scoring: true, details };
  }
  const columns = result.columns.map((column) => toColumnScore(column, result.totalRows));
  const scores = columns.flatMap(({ score }) => score ?? []);
  if (scores.length === 0) return noScore(NOTHING_TO_SCORE);
  const [single, ...others] = columns;
  const overall = scores.reduce((sum, score) => sum + score / scores.length, 0);
  return {
    overall_score: overall,
    score_type: others.length === 0 ? 'single_column' : 'multi_column',
    has_custom_scoring: false,
    details: others.length === 0 ? single! : { columns },
  };
}

/** The scores of single columns, by name. */
export function columnScores({ details }: ReportScore): Map<string, number | null> {
  const columns = 'columns' in details ? details.columns : 'column_name' in details ? [details] : [];
  return new Map(columns.map(({ column_name: name, score }) => [name, score]));
}

function toColumnScore({ title, score, resolved, included }: ScoredColumn, rows: number): ReportColumnScore {
  return {
    column_name: title,
    score: score === null || resolved !== 'boolean' ? score : score * 100,
    score_type: resolved,
    num_skipped: rows - included,
  };
}
