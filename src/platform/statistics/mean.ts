import { ALPHA, normalQuantile, studentT, tProbability } from './distributions.js';

/** The interval of an estimate at the confidence `level`. */
export interface Interval {
  low: number;
  high: number;
  level: number;
  /**
   * `wilson`: a proportion, or a mean of equal values. `hall`: a mean, by Student's t and by Hall's correction for
   * skewed values, whichever reaches further. `student_t` and `newcombe` occur in results of older versions.
   */
  method: 'wilson' | 'hall' | 'student_t' | 'newcombe';
}

/** The lowest and the highest possible value of a row. */
export interface Bounds {
  low: number;
  high: number;
}

/** The mean of the rows' values, with the moments for its interval. */
export interface Mean {
  n: number;
  value: number;
  /** 0 for equal values. */
  standardError: number;
  /** 0 for fewer than three values. */
  skewness: number;
}

/** Smaller differences between values are rounding errors. */
const ROUNDING = 1e-12;

/** Needs at least two values. */
export function meanOf(values: readonly number[]): Mean {
  const n = values.length;
  const value = sum(values) / n;
  const moved = values.map((each) => each - value);
  const deviation = Math.sqrt(sum(moved.map((each) => each * each)) / (n - 1));
  const largest = values.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (deviation <= ROUNDING * largest) return { n, value, standardError: 0, skewness: 0 };
  const skewness = n < 3 ? 0 : (sum(moved.map((each) => (each / deviation) ** 3)) * n) / ((n - 1) * (n - 2));
  return { n, value, standardError: deviation / Math.sqrt(n), skewness };
}

/**
 * The interval of the population's mean. Equal values do not show how other rows vary. Up to the share that Wilson's
 * interval allows for events that never occurred, other rows may be at the `bounds`. Without bounds there is no
 * interval for equal values.
 */
export function intervalOf(mean: Mean, bounds: Bounds | null, alpha = ALPHA): Interval | null {
  const { n, value, standardError } = mean;
  if (standardError > 0) {
    const t = studentT(n - 1, alpha);
    const [below, above] = [Math.max(t, withoutSkew(mean, t)), Math.max(t, -withoutSkew(mean, -t))];
    return within(bounds, { low: value - below * standardError, high: value + above * standardError }, 'hall', alpha);
  }
  if (!bounds) return null;
  const unseen = neverSeen(n, alpha);
  const range = { low: value - unseen * (value - bounds.low), high: value + unseen * (bounds.high - value) };
  return within(bounds, range, 'wilson', alpha);
}

/**
 * Probability of a mean at least as far from 0 if the true mean were 0: below `alpha` when 0 is outside the interval.
 */
export function meanProbability(mean: Mean): number {
  const { n, value, standardError } = mean;
  if (standardError === 0) return value === 0 ? 1 : 0;
  const t = value / standardError;
  const skewed = withSkew(mean, t);
  const isSameSide = Math.sign(skewed) === Math.sign(t);
  return isSameSide ? Math.max(tProbability(t, n - 1), tProbability(skewed, n - 1)) : 1;
}

/** Wilson's interval (1927) of a proportion. Needs at least one row. */
export function wilson(ones: number, n: number): Interval {
  const z = normalQuantile();
  const square = z * z;
  const center = ones + square / 2;
  const reach = z * Math.sqrt((ones * (n - ones)) / n + square / 4);
  const low = ones === 0 ? 0 : (center - reach) / (n + square);
  const high = ones === n ? 1 : (center + reach) / (n + square);
  return { low, high, level: 1 - ALPHA, method: 'wilson' };
}

/** The upper end of Wilson's interval for an event that occurred in no row. */
function neverSeen(n: number, alpha: number): number {
  const square = normalQuantile(alpha) ** 2;
  return square / (n + square);
}

/**
 * Peter Hall, On the removal of skewness by transformation, Journal of the Royal Statistical Society B 54, 1992: this monotone
 * function of the t of skewed values follows Student's distribution more closely than their t does.
 */
function withSkew({ n, skewness }: Mean, t: number): number {
  if (Math.abs(skewness) < ROUNDING) return t;
  const root = Math.sqrt(n);
  const cube = (1 + (skewness * t) / (3 * root)) ** 3;
  return (root / skewness) * (cube - 1) + skewness / (6 * root);
}

/** The inverse of `withSkew`. */
function withoutSkew({ n, skewness }: Mean, t: number): number {
  if (Math.abs(skewness) < ROUNDING) return t;
  const root = Math.sqrt(n);
  const cube = 1 + (skewness / root) * (t - skewness / (6 * root));
  return ((3 * root) / skewness) * (Math.cbrt(cube) - 1);
}

function within(bounds: Bounds | null, { low, high }: Bounds, method: Interval['method'], alpha: number): Interval {
  const level = 1 - alpha;
  if (!bounds) return { low, high, level, method };
  return { low: Math.max(bounds.low, low), high: Math.min(bounds.high, high), level, method };
}

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
