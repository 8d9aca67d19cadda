import { withoutNoise } from '../../platform/numbers.js';
import type { Aggregation, AggregationMethod, FailureBehavior, Thresholds } from './scorecard-config.js';
import { thresholdsOf } from './scorecard-config.js';

export const VERDICTS = ['pass', 'warn', 'fail', 'error', 'skipped'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A score from 0 to 1, or null, with its verdict. */
export interface Scored {
  score: number | null;
  verdict: Verdict;
}

/** A part of a combined score. */
export interface Part extends Scored {
  weight: number;
  required: boolean;
}

/** Tolerance for rounding errors in sums of products: a score of 0.8 must reach 0.8. */
const TOLERANCE = 1e-9;

const NOTHING: Scored = { score: null, verdict: 'skipped' };

export function verdictOf(score: number, { pass, warn }: Thresholds): Verdict {
  if (score >= pass - TOLERANCE) return 'pass';
  return score >= warn - TOLERANCE ? 'warn' : 'fail';
}

/**
 * The score over several steps of a row, or over the criteria of a sheet. Skipped parts do not count, and failed ones
 * count as 0. Required parts that did not pass change the verdict as the aggregation defines it.
 */
export function combine(parts: Part[], aggregation: Aggregation): Scored {
  const counted = parts.filter(({ verdict }) => verdict !== 'skipped');
  if (counted.length === 0) return NOTHING;
  const score = withoutNoise(combineScores(counted, aggregation.method));
  const isBroken = counted.every(({ verdict }) => verdict === 'error');
  const verdict = isBroken ? 'error' : verdictOf(score, thresholdsOf(aggregation));
  const isMissed = counted.some((part) => part.required && (part.verdict === 'fail' || part.verdict === 'error'));
  return { score, verdict: isMissed ? afterFailure(verdict, aggregation.required_step_failure_behavior) : verdict };
}

function combineScores(parts: Part[], method: AggregationMethod): number {
  const scores = parts.map(({ score }) => score ?? 0);
  switch (method) {
    case 'min':
      return Math.min(...scores);
    case 'max':
      return Math.max(...scores);
    case 'mean':
      return meanOf(scores, () => 1);
    case 'weighted_mean':
      return meanOf(scores, (place) => parts[place]!.weight);
  }
}

function meanOf(scores: number[], weightOf: (place: number) => number): number {
  const total = scores.reduce((sum, _, place) => sum + weightOf(place), 0);
  return scores.reduce((sum, score, place) => sum + (score * weightOf(place)) / total, 0);
}

function afterFailure(verdict: Verdict, behavior: FailureBehavior): Verdict {
  if (behavior === 'warn') return verdict === 'pass' ? 'warn' : verdict;
  return behavior;
}
