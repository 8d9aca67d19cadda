import type { MatrixCell } from './custom-score.js';

/** The source of a score: nothing that can be scored, one column, several, or code. */
export const SCORE_SHAPES = ['none', 'single_column', 'multi_column', 'custom'] as const;
export type ScoreShape = (typeof SCORE_SHAPES)[number];

/** The source of the score of a version: one of the above, or the scorecard of its sheet. */
export const VERSION_SCORE_TYPES = [...SCORE_SHAPES, 'scorecard'] as const;
export type VersionScoreType = (typeof VERSION_SCORE_TYPES)[number];

/** The score of a column, with its title at the time of the calculation. */
export interface ScoredColumn {
  id: string;
  title: string;
  score: number | null;
  /** Rows whose cell counts. */
  included: number;
  resolved: 'boolean' | 'numeric' | null;
  /** Cells that passed completely. */
  passed: number;
}

/** The result of a calculation. */
export interface ScoreResult {
  shape: ScoreShape;
  score: number | null;
  columns: ScoredColumn[];
  totalRows: number;
  /** Rows with at least one cell that counts. */
  scoredRows: number;
  /** `matrices` has all matrices if there are several. */
  custom?: { subScores: Record<string, number>; matrix: MatrixCell[][] | null; matrices?: MatrixCell[][][] };
}

/** The result of a sheet without scores; `columns` are those that would be scored. */
export function unscored(totalRows: number, columns: { id: string; title: string }[] = []): ScoreResult {
  const nothing = { score: null, included: 0, resolved: null, passed: 0 };
  const listed = columns.map(({ id, title }) => ({ id, title, ...nothing }));
  return { shape: 'none', score: null, columns: listed, totalRows, scoredRows: 0 };
}

/** The score of a sheet, combined from those of its columns. */
export function combineColumns(columns: ScoredColumn[], rows: { total: number; scored: number }): ScoreResult {
  const scores = columns.flatMap(({ score }) => score ?? []);
  const shape = scores.length === 0 ? 'none' : columns.length === 1 ? 'single_column' : 'multi_column';
  // Divided first, because the sum of large numbers may overflow.
  const score = scores.length === 0 ? null : meanOf(scores);
  return { shape, score, columns, totalRows: rows.total, scoredRows: rows.scored };
}

function meanOf(scores: number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Number.isFinite(mean) ? mean : scores.reduce((sum, score) => sum + score / scores.length, 0);
}
