import jstat from 'jstat';

/** How improbable a difference by chance has to be, and how sure an interval is to hold what it estimates. */
export const ALPHA = 0.05;
export const LEVEL = 1 - ALPHA;

/** This many standard errors to either side hold all but `alpha` of a normal distribution. */
export function normalQuantile(alpha = ALPHA): number {
  return jstat.normal.inv(1 - alpha / 2, 0, 1);
}

/** The same for Student's t distribution. */
export function studentT(degreesOfFreedom: number, alpha = ALPHA): number {
  return jstat.studentt.inv(1 - alpha / 2, degreesOfFreedom);
}

/** How probable a t that is at least as far from 0, to either side, is by chance. */
export function tProbability(t: number, degreesOfFreedom: number): number {
  return jstat.ibeta(degreesOfFreedom / (degreesOfFreedom + t * t), degreesOfFreedom / 2, 1 / 2);
}

/** How probable a split of so many coin tosses that is at least as uneven as this one, to either side, is by chance. */
export function tossProbability(heads: number, tails: number): number {
  const tosses = heads + tails;
  if (heads === tails) return 1;
  // The sum of the tail by the incomplete beta function, which needs no loop over the tosses.
  return Math.min(1, 2 * jstat.ibeta(0.5, Math.max(heads, tails), tosses - Math.max(heads, tails) + 1));
}
