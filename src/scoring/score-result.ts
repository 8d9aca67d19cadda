import type { MatrixCell } from './custom-score.js';

/** What a score was made of: nothing that can be scored, one column, several, or code. */
export const SCORE_SHAPES = ['none', 'single_column', 'multi_column', 'custom'] as const;
export type ScoreShape = (typeof SCORE_SHAPES)[number];

/** What the score of a version was made of: the same, or the scorecard of its sheet. */
export const VERSION_SCORE_TYPES = [...SCORE_SHAPES, 'scorecard'] as const;
export type VersionScoreType = (typeof VERSION_SCORE_TYPES)[number];

/** The score of a column as it was calculated; its title is the one it had then. */
export interface ScoredColumn {
  id: string;
  title: string;
  score: number | null;
  /** Rows whose cell counts. */
  included: number;
  resolved: 'boolean' | 'numeric' | null;
  /** Cells that passed entirely. */
  passed: number;
}

/** What came of a calculation. */
export interface ScoreResult {
  shape: ScoreShape;
  score: number | null;
  columns: ScoredColumn[];
  totalRows: number;
  /** Rows of which at least one cell counts. */
  scoredRows: number;
  /** `matrices` has all of them where there are several. */
  custom?: { subScores: Record<string, number>; matrix: MatrixCell[][] | null; matrices?: MatrixCell[][][] };
}

/** A sheet of which nothing was scored; `columns` are those that would be. */
export function unscored(totalRows: number, columns: { id: string; title: string }[] = []): ScoreResult {
  const nothing = { score: null, included: 0, resolved: null, passed: 0 };
  const listed = columns.map(({ id, title }) => ({ id, title, ...nothing }));
  return { shape: 'none', score: null, columns: listed, totalRows, scoredRows: 0 };
}

/** The score of a sheet from those of its columns. */
export function combineColumns(columns: ScoredColumn[], rows: { total: number; scored: number }): ScoreResult {
  const scores = columns.flatMap(({ score }) => score ?? []);
  const shape = scores.length === 0 ? 'none' : columns.length === 1 ? 'single_column' : 'multi_column';
  // Divided first: the sum of large numbers may be none.
  const score = scores.length === 0 ? null : meanOf(scores);
  return { shape, score, columns, totalRows: rows.total, scoredRows: rows.scored };
}

function meanOf(scores: number[]): number {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Number.isFinite(mean) ? mean : scores.reduce((sum, score) => sum + score / scores.length, 0);
}
