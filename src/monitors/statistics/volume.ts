import { studentT, tProbability } from '../../platform/statistics/distributions.js';
import type { Band, Levels } from './band.js';

/** Sums of earlier weeks, such as counts or costs. Sums of all hours show how far they vary. */
export interface UsualSums {
  /** Sums of the same hours, one for each week. */
  same: readonly number[];
  /** Sums of the other hours of the week, one list for each position in the week, with one sum for each week. */
  places: readonly (readonly number[])[];
  /** Least standard deviation of a square root: 1/2 for counts, the deviation of independent items. */
  leastDeviation: number;
}

/** Least deviation as a share of the mean. */
const LEAST_SHARE = 0.01;

interface Spread {
  center: number;
  deviation: number;
  degrees: number;
}

/**
 * Student's prediction interval for one more week, on square roots: they make the deviation of sums of many small parts about the
 * same at all hours. Null with fewer than two weeks.
 */
function spreadOf({ same, places, leastDeviation }: UsualSums): Spread | null {
  const weeks = same.length;
  if (weeks < 2) return null;
  const center = mean(same.map(Math.sqrt));
  let [squares, degrees] = [0, 0];
  for (const place of [same, ...places]) {
    const roots = place.map(Math.sqrt);
    const own = mean(roots);
    for (const root of roots) squares += (root - own) ** 2;
    degrees += roots.length - 1;
  }
  const deviation = Math.max(Math.sqrt(squares / degrees), leastDeviation, LEAST_SHARE * center);
  return { center, deviation: deviation * Math.sqrt(1 + 1 / weeks), degrees };
}

/** Expected range of the sum; null with fewer than two weeks. */
export function volumeBand(usual: UsualSums, levels: Levels): Band | null {
  const spread = spreadOf(usual);
  if (!spread) return null;
  const { center, deviation, degrees } = spread;
  // `studentT` divides its level between two sides.
  const reach = (level: number) => studentT(degrees, 2 * level) * deviation;
  return {
    low: levels.low === 0 ? null : Math.max(0, center - reach(levels.low)) ** 2,
    high: levels.high === 0 ? null : (center + reach(levels.high)) ** 2,
  };
}

/** Probabilities of a sum at least as low and at least as high by chance. Requires two weeks. */
export function volumeProbability(sum: number, usual: UsualSums): { low: number; high: number } {
  const { center, deviation, degrees } = spreadOf(usual)!;
  const t = deviation === 0 ? 0 : (Math.sqrt(sum) - center) / deviation;
  const tail = tProbability(t, degrees) / 2;
  return t < 0 ? { low: tail, high: 1 - tail } : { low: 1 - tail, high: tail };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
