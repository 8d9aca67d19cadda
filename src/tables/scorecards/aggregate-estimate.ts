import type { AggregationMethod } from './scorecard-config.js';
import { type Estimate, estimateScores } from '../../platform/statistics/estimates.js';
import { type Bounds, intervalOf, meanOf, sum } from '../../platform/statistics/mean.js';

/** The uncertainty of a score as an estimate for rows that were not scored. */
export type ScoreEstimate = Omit<Estimate, 'value'>;

/** A criterion with its score in each row; NaN where it has none. */
export interface CriterionScores {
  weight: number;
  scores: readonly number[];
}

const NOTHING: ScoreEstimate = { n: 0, standardError: null, interval: null };

export function estimateCriterion(scores: readonly number[]): ScoreEstimate {
  const { n, standardError, interval } = estimateScores(scores.filter(isScore), 'share');
  return { n, standardError, interval };
}

/**
 * The estimate of a score over several criteria. Rows are the sample, and the scores of a row by all criteria are
 * correlated. The error is therefore calculated from the influence of each row on the score, not from independent
 * criteria. `constant` is the weight of criteria that are not means of rows, with those that could not be computed.
 */
export function estimateAggregate(
  method: AggregationMethod,
  score: number | null,
  criteria: CriterionScores[],
  constant = 0,
): ScoreEstimate {
  const scored = criteria.filter(({ scores }) => scores.some(isScore));
  if (score === null || scored.length === 0) return NOTHING;
  if (method === 'min' || method === 'max') {
    const chosen = scored.find(({ scores }) => Math.abs(averageOf(scores) - score) < 1e-9);
    return chosen ? estimateCriterion(chosen.scores) : NOTHING;
  }
  if (scored.length === 1 && constant === 0) return estimateCriterion(scored[0]!.scores);
  const weightOf = ({ weight }: CriterionScores) => (method === 'mean' ? 1 : weight);
  const total = sum(scored.map(weightOf)) + constant;
  const weights = scored.map((criterion) => weightOf(criterion) / total);
  return fromRows(score, influences(scored, weights), reachOf(score, scored, weights));
}

/** The influence of each row on the score, for rows with a score. */
function influences(criteria: CriterionScores[], weights: number[]): number[] {
  const means = criteria.map(({ scores }) => averageOf(scores));
  const rows = criteria[0]!.scores
    .map((_, row) => row)
    .filter((row) => criteria.some(({ scores }) => isScore(scores[row]!)));
  const shares = criteria.map(({ scores }) => rows.length / scores.filter(isScore).length);
  return rows.map((row) =>
    sum(
      criteria.map(({ scores }, at) => {
        const moved = scores[row]! - means[at]!;
        return isScore(moved) ? weights[at]! * shares[at]! * moved : 0;
      }),
    ),
  );
}

/** The lowest and the highest score that rows can reach beside the constant criteria. */
function reachOf(score: number, criteria: CriterionScores[], weights: number[]): Bounds {
  const low = Math.max(0, score - sum(criteria.map(({ scores }, at) => weights[at]! * averageOf(scores))));
  return { low, high: Math.min(1, low + sum(weights)) };
}

function fromRows(score: number, moved: number[], reach: Bounds): ScoreEstimate {
  const n = moved.length;
  if (n < 2) return { n, standardError: null, interval: null };
  const mean = { ...meanOf(moved.map((each) => score + each)), value: score };
  return { n, standardError: mean.standardError, interval: intervalOf(mean, reach) };
}

function averageOf(scores: readonly number[]): number {
  const some = scores.filter(isScore);
  return sum(some) / some.length;
}

function isScore(score: number): boolean {
  return !Number.isNaN(score);
}
