import type { Band, Levels } from './band.js';
import type { Classes } from './percentile.js';
import { totalOf } from './percentile.js';

/** The mean of values, by how often each occurs. */
export function meanOf(values: Classes): number {
  const total = totalOf(values);
  let sum = 0;
  for (const [value, count] of values) sum += value * count;
  return sum / total;
}

/** The values of both together. */
export function pooled(a: Classes, b: Classes): Map<number, number> {
  const all = new Map(a);
  for (const [value, count] of b) all.set(value, (all.get(value) ?? 0) + count);
  return all;
}

/**
 * A bound on the probability that the mean of `n` values drawn from these without replacement is at least `mean`, or at most, where
 * that is on the other side of their own mean. It is Chernoff's bound; Hoeffding (Probability inequalities for sums of bounded
 * random variables, 1963, theorem 4) shows that it holds without replacement, too. No distribution is assumed.
 */
export function meanBound(mean: number, n: number, values: Classes): number {
  const weights = new Weights(values);
  const { center, least, most } = weights;
  if (mean === center) return 1;
  if (mean < least || mean > most) return 0;
  const sign = mean > center ? 1 : -1;
  const reached = halve(0, sign * weights.steepest, (t) => (weights.tilted(t).mean - mean) * sign < 0);
  return Math.min(1, Math.exp(-n * weights.tilted(reached).distance));
}

/** The mean that is expected of `n` of these values at these levels. */
export function meanBand(n: number, values: Classes, { low, high }: Levels): Band {
  const weights = new Weights(values);
  const limit = (level: number, sign: 1 | -1): number => {
    const farthest = -Math.log(level) / n;
    const steepest = sign * weights.steepest;
    if (weights.tilted(steepest).distance <= farthest) return sign === 1 ? weights.most : weights.least;
    return weights.tilted(halve(0, steepest, (t) => weights.tilted(t).distance < farthest)).mean;
  };
  return { low: low === 0 ? null : limit(low, -1), high: high === 0 ? null : limit(high, 1) };
}

/** Values with their shares, tilted exponentially: value times `exp(t * value)`. */
class Weights {
  readonly least: number;
  readonly most: number;
  readonly center: number;
  /** A tilt at which all but the values at one end weigh nothing. */
  readonly steepest: number;
  private readonly entries: [value: number, count: number][];
  private readonly total: number;

  constructor(values: Classes) {
    this.entries = [...values].filter(([, count]) => count > 0);
    this.total = totalOf(values);
    const numbers = this.entries.map(([value]) => value);
    this.least = Math.min(...numbers);
    this.most = Math.max(...numbers);
    this.center = meanOf(values);
    const spread = this.most - this.least;
    this.steepest = spread === 0 ? 0 : (STEEP * Math.log(this.total + 1)) / spread;
  }

  /** The mean at a tilt, and how far it is from these values: `t * mean - ln E exp(t * value)` (Cramér). */
  tilted(t: number): { mean: number; distance: number } {
    const end = t > 0 ? this.most : this.least;
    let [sum, moment] = [0, 0];
    for (const [value, count] of this.entries) {
      const weight = count * Math.exp(t * (value - end));
      sum += weight;
      moment += weight * value;
    }
    const mean = moment / sum;
    return { mean, distance: Math.max(0, t * (mean - end) - Math.log(sum / this.total)) };
  }
}

const STEEP = 100;
/** Each halves the interval. */
const HALVINGS = 60;

/** Where a condition ends that holds at `from`. */
function halve(from: number, to: number, holds: (at: number) => boolean): number {
  let [inside, outside] = [from, to];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (inside + outside) / 2;
    if (holds(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}
