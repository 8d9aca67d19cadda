import { sum } from './mean.js';

/** So many differences have so few ways to turn their signs (65,536) that all are tried. */
const MOST_TRIED = 16;

/**
 * Steps to the largest difference, the fewer the more differences there are, for the time that it takes. Scores in halves, thirds,
 * quarters … lie on such steps exactly. Rounding to 60 of them changes a probability near 0.05 by about 0.001.
 */
const STEPS = [2520, 840, 420, 60];
const MOST_ADDITIONS = 6_000_000;

/**
 * How probable a sum of differences at least as far from 0 as theirs would be if each could as well have had the other sign.
 * Nothing is drawn at random: all ways are counted, of many differences by the sums that they can have (Streitberg and Röhmel,
 * Exact distributions for permutation and rank tests, Statistical Software Newsletter 12, 1986). Differences are rounded to steps
 * for that.
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

/** The sum with the signs that bits say. */
function withSigns(sizes: number[], bits: number): number {
  let total = 0;
  for (let at = 0; at < sizes.length; at++) total += ((bits >>> at) & 1) === 1 ? -sizes[at]! : sizes[at]!;
  return total;
}

/** The share of ways in which the whole numbers `sizes`, each with either sign, add up to at least `observed` or at most its opposite. */
function countSums(sizes: number[], observed: number): number {
  const most = sum(sizes);
  // How probable each sum of a part of the sizes is; the others are subtracted.
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
