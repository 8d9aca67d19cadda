import { sum } from './mean.js';

/** Number of differences up to which all combinations of signs (65,536) are tried. */
const MOST_TRIED = 16;

/**
 * Number of steps to the largest difference. More differences get fewer steps, to limit the time. Scores in halves,
 * thirds, quarters … are exact multiples of such steps. Rounding to 60 steps changes a probability near 0.05 by about
 * 0.001.
 */
const STEPS = [2520, 840, 420, 60];
const MOST_ADDITIONS = 6_000_000;

/**
 * Probability of a sum of differences at least as far from 0 if each had a random sign. It is no random sample: all
 * combinations are counted, for many differences by their possible sums (Streitberg and Röhmel, Exact distributions for
 * permutation and rank tests, Statistical Software Newsletter 12, 1986). Differences are rounded to steps for that.
 */
export function permutationProbability(differences: readonly number[]): { pValue: number; isExact: boolean } {
  const sizes = differences.map(Math.abs);
  if (sizes.length <= MOST_TRIED) return { pValue: tryAll(sizes, sum(differences)), isExact: true };
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const unit = largest / (STEPS.find((steps) => steps * sizes.length ** 2 <= MOST_ADDITIONS) ?? STEPS.at(-1)!);
  const whole = differences.map((difference) => Math.round(difference / unit));
  const isExact = whole.every((steps, at) => Math.abs(steps * unit - differences[at]!) <= 1e-9 * largest);
  return { pValue: countSums(whole.map(Math.abs), Math.abs(sum(whole))), isExact };
}

function tryAll(sizes: number[], total: number): number {
  // Sums of the same numbers in another order may differ in their last digits.
  const observed = Math.abs(total) - 1e-9 * sum(sizes);
  const ways = 2 ** sizes.length;
  let extreme = 0;
  for (let signs = 0; signs < ways; signs++) if (Math.abs(withSigns(sizes, signs)) >= observed) extreme++;
  return extreme / ways;
}

/** The sum with the signs of a bit mask. */
function withSigns(sizes: number[], bits: number): number {
  let total = 0;
  for (let at = 0; at < sizes.length; at++) total += ((bits >>> at) & 1) === 1 ? -sizes[at]! : sizes[at]!;
  return total;
}

/**
 * The share of combinations of signs with which the whole numbers `sizes` add up to at least `observed`, or at most its
 * negative.
 */
function countSums(sizes: number[], observed: number): number {
  const most = sum(sizes);
  // The probability of each sum of a subset of the sizes; the other sizes are subtracted.
  const shares = new Float64Array(most + 1);
  shares[0] = 1;
  let reached = 0;
  for (const size of sizes) {
    reached += size;
    for (let total = reached; total >= 0; total--) {
      const before = total >= size ? shares[total - size]! : 0;
      shares[total] = (shares[total]! + before) / 2;
    }
  }
  let extreme = 0;
  for (let part = 0; part <= most; part++) if (Math.abs(2 * part - most) >= observed) extreme += shares[part]!;
  return Math.min(1, extreme);
}
