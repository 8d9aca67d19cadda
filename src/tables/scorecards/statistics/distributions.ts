import jstat from 'jstat';

/** How sure an interval is to hold what it estimates, and how improbable a difference by chance has to be. */
export const LEVEL = 0.95;
export const ALPHA = 0.05;

/** So many standard errors to either side hold 95 % of a normal distribution. */
export const Z = jstat.normal.inv(1 - ALPHA / 2, 0, 1);

/** The same for Student's t distribution. */
export function studentT(degreesOfFreedom: number): number {
  return jstat.studentt.inv(1 - ALPHA / 2, degreesOfFreedom);
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
