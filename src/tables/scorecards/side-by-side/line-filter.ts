import type { CalculationScores } from '../paired-scores.queries.js';
import type { Verdict } from '../verdicts.js';

/** Changes of a row in another run vs. the same row of the first run. */
export const CHANGES = ['any', 'better', 'worse'] as const;
export type Change = (typeof CHANGES)[number];

export interface LineFilter {
  /** null for any. */
  verdicts: Verdict[] | null;
  minScore: number | null;
  maxScore: number | null;
  /** null for all rows, changed or not. */
  change: Change | null;
}

/** Whether a row matches the filter in one of the runs. Changes are those of another run vs. the first. */
export function isWanted(
  runs: { scores: Pick<CalculationScores, 'at' | 'verdictAt'> }[],
  line: readonly (number | null)[],
  { verdicts, minScore, maxScore, change }: LineFilter,
): boolean {
  const scores = runs.map((run, place) => run.scores.at(line[place] ?? null, null));
  const hasVerdict = () =>
    runs.some((run, place) => {
      const verdict = run.scores.verdictAt(line[place] ?? null);
      return verdict !== null && verdicts!.includes(verdict);
    });
  const isWithin = (score: number | null) =>
    score !== null && (minScore === null || score >= minScore) && (maxScore === null || score <= maxScore);
  if (verdicts && !hasVerdict()) return false;
  if ((minScore !== null || maxScore !== null) && !scores.some(isWithin)) return false;
  return change === null || scores.slice(1).some((score) => hasChanged(scores[0] ?? null, score, change));
}

function hasChanged(before: number | null, now: number | null, change: Change): boolean {
  if (before === null || now === null || before === now) return false;
  return change === 'any' || (change === 'better' ? now > before : now < before);
}
