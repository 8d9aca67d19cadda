import type { Thresholds } from './scorecard-config.js';
import { type Scored, type Verdict, verdictOf, VERDICTS } from './verdicts.js';

export type VerdictCounts = Record<Verdict, number>;

export function noVerdicts(): VerdictCounts {
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, 0])) as VerdictCounts;
}

/** A step over all rows, from its results that come one by one. */
export class CriterionTally {
  readonly counts = noVerdicts();
  private sum = 0;
  /** What adding small numbers to a large one has lost. */
  private lost = 0;

  add({ score, verdict }: Scored): void {
    this.counts[verdict]++;
    if (verdict === 'skipped') return;
    const added = score ?? 0;
    const sum = this.sum + added;
    this.lost += this.sum >= added ? this.sum - sum + added : added - sum + this.sum;
    this.sum = sum;
  }

  /** Rows that count: all but those that were skipped. */
  get counted(): number {
    return this.total - this.counts.skipped;
  }

  get total(): number {
    return VERDICTS.reduce((sum, verdict) => sum + this.counts[verdict], 0);
  }

  /** The mean of the rows that count; what could not be computed counts as 0. */
  result(thresholds: Thresholds): Scored {
    if (this.counted === 0) return { score: null, verdict: 'skipped' };
    const score = (this.sum + this.lost) / this.counted;
    return { score, verdict: this.counts.error === this.counted ? 'error' : verdictOf(score, thresholds) };
  }
}
