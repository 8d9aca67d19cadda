import { RunningMean } from '../../scoring/index.js';
import type { Thresholds } from './scorecard-config.js';
import { type Scored, type Verdict, verdictOf, VERDICTS } from './verdicts.js';

export type VerdictCounts = Record<Verdict, number>;

export function noVerdicts(): VerdictCounts {
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as VerdictCounts;
}

/** The result of a step over all rows, from its results one by one. */
export class CriterionTally {
  readonly counts = noVerdicts();
  /** Mean over the rows that were not skipped. */
  private readonly mean = new RunningMean();

  add({ score, verdict }: Scored): void {
    this.counts[verdict]++;
    if (verdict !== 'skipped') this.mean.add(score ?? 0);
  }

  /** The mean of the rows that count; failed ones count as 0. */
  result(thresholds: Thresholds): Scored {
    const { value: score, count } = this.mean;
    if (score === null) return { score, verdict: 'skipped' };
    return { score, verdict: this.counts.error === count ? 'error' : verdictOf(score, thresholds) };
  }
}
