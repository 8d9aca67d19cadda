import { estimateProportion } from './estimates.js';
import type { Interval } from './mean.js';

/** The consistency of repeated judgements. */
export interface FlipRate {
  /** Rows that were judged at least twice. */
  rows: number;
  /** Rows with different judgements. */
  flipped: number;
  /** Their share; null where no row was judged twice. */
  rate: number | null;
  interval: Interval | null;
  /** Probability that two judgements of a row differ, as a mean over the rows. */
  disagreement: number | null;
}

/** Calculates the rate from the judgements of each row; null stands for a missing judgement. */
export function flipRate(judgements: readonly (readonly (string | number | boolean | null)[])[]): FlipRate {
  const judged = judgements.map((row) => row.filter((said) => said !== null)).filter((row) => row.length > 1);
  const flipped = judged.filter((row) => row.some((said) => said !== row[0])).length;
  const { value, interval } = estimateProportion(flipped, judged.length);
  const disagreements = judged.map(disagreement);
  const total = disagreements.reduce((sum, each) => sum + each, 0);
  return {
    rows: judged.length,
    flipped,
    rate: value,
    interval,
    disagreement: judged.length === 0 ? null : total / judged.length,
  };
}

/** The share of the pairs of judgements that differ. */
function disagreement(row: readonly unknown[]): number {
  const counts = new Map<unknown, number>();
  for (const said of row) counts.set(said, (counts.get(said) ?? 0) + 1);
  const pairs = (count: number) => (count * (count - 1)) / 2;
  const same = [...counts.values()].reduce((sum, count) => sum + pairs(count), 0);
  return 1 - same / pairs(row.length);
}
