import jstat from 'jstat';

/** Significance level of differences; confidence intervals have the level 1 - `ALPHA`. */
export const ALPHA = 0.05;
export const LEVEL = 1 - ALPHA;

/** Number of standard errors to either side that contain all but `alpha` of a normal distribution. */
export function normalQuantile(alpha = ALPHA): number {
  return jstat.normal.inv(1 - alpha / 2, 0, 1);
}

/** The same for Student's t distribution. */
export function studentT(degreesOfFreedom: number, alpha = ALPHA): number {
  return jstat.studentt.inv(1 - alpha / 2, degreesOfFreedom);
}

/** Two-sided p-value of a t statistic. */
export function tProbability(t: number, degreesOfFreedom: number): number {
  return jstat.ibeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 1 / 2);
}

/** Two-sided p-value of a number of heads and tails of a fair coin. */
export function tossProbability(heads: number, tails: number): number {
  const tosses = heads + tails;
  if (heads === tails) return 1;
  // The sum of the tail by the incomplete beta function, which needs no loop over the tosses.
  return Math.min(1, 2 * jstat.ibeta(0.5, Math.max(heads, tails), tosses - Math.max(heads, tails) + 1));
}
