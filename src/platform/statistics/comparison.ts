import { ALPHA, tossProbability } from './distributions.js';
import { isBinary, type Scale } from './estimates.js';
import { type Bounds, type Interval, intervalOf, type Mean, meanOf, meanProbability, sum } from './mean.js';
import { permutationProbability } from './permutation.js';

/** The difference of two runs over the same rows, with its uncertainty. */
export interface Comparison {
  /** Rows that have a score in both. */
  n: number;
  /** Rows with a score in only one run, or in none. */
  unpaired: number;
  /** Rows that became better, and worse. */
  improved: number;
  regressed: number;
  /** The mean of the second run minus that of the first, over the pairs; null without pairs. */
  difference: number | null;
  /** Contains 0 exactly when the verdict is not `significant`; null when there are too few rows. */
  interval: Interval | null;
  /** Probability of a difference at least this large if the runs were alike; null without pairs. */
  pValue: number | null;
  /** `permutation_monte_carlo` occurs in results of older versions. */
  method: 'mcnemar_exact' | 'permutation_exact' | 'permutation_rounded' | 'permutation_monte_carlo' | 'paired_t' | null;
  /** The verdict is `significant` below this: 0.05, divided by the number of simultaneous comparisons (Bonferroni). */
  alpha: number;
  /** The smallest difference that matters. */
  margin: number;
  /** `noise` means not significant, also when there are too few rows. */
  verdict: Verdict;
  conclusion: Conclusion;
}

export const VERDICTS = ['significant', 'noise'] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * `difference`: the verdict is `significant`. `no_difference`: the whole interval is within the margin. `too_few_rows`:
 * both are possible.
 */
export const CONCLUSIONS = ['difference', 'no_difference', 'too_few_rows'] as const;
export type Conclusion = (typeof CONCLUSIONS)[number];

/** A score of each row; null where it has none. */
export type Scores = readonly (number | null)[];

export interface ComparisonOptions {
  scale?: Scale;
  /**
   * Number of simultaneous comparisons. The level is divided by it, so that false positives do not become more likely.
   */
  among?: number;
}

/** The smallest difference that matters: a twentieth of the scale, or five points of a share. */
const MARGIN = 0.05;

/**
 * Compares the scores of two runs row by row. There is a difference when two tests reject that there is none: a
 * permutation test, and Student's t-test, corrected for skewed differences. The interval contains all differences that
 * these tests do not reject, so it never contradicts the verdict.
 */
export function comparePaired(first: Scores, second: Scores, options: ComparisonOptions = {}): Comparison {
  if (first.length !== second.length) throw new RangeError('Both runs need a score, or null, for each row.');
  const { scale = 'share', among = 1 } = options;
  const pairs = first.flatMap((before, row): [number, number][] => {
    const after = second[row]!;
    return before === null || after === null ? [] : [[before, after]];
  });
  const differences = pairs.map(([before, after]) => after - before);
  const range = scale === 'share' ? 1 : rangeOf(pairs.flat());
  const count = {
    n: pairs.length,
    unpaired: first.length - pairs.length,
    improved: differences.filter((difference) => difference > 0).length,
    regressed: differences.filter((difference) => difference < 0).length,
    alpha: ALPHA / among,
    margin: MARGIN * range,
  };
  if (pairs.length === 0) {
    return { ...count, difference: null, interval: null, pValue: null, method: null, ...NOTHING_KNOWN };
  }
  const isBinaryRun = pairs.every((pair) => pair.every(isBinary));
  const chance = isBinaryRun ? mcNemar(count) : bySigns(differences.filter((difference) => difference !== 0));
  const mean = pairs.length > 1 ? meanOf(differences) : null;
  const pValue = mean ? Math.max(chance.pValue, meanProbability(mean)) : chance.pValue;
  const bounds = mean && boundsOf(mean, scale, range);
  const interval = mean && intervalIn(mean, { bounds, pValue, alpha: count.alpha });
  const difference = sum(differences) / pairs.length;
  const found = conclude(interval, count.margin, pValue < count.alpha);
  return { ...count, difference, interval, pValue, method: chance.method, ...found };
}

const NOTHING_KNOWN: Finding = { verdict: 'noise', conclusion: 'too_few_rows' };

/** From this number of changed rows, Student's t-test agrees with the permutation test, and is faster. */
const MANY = 500;

/** The probability that the changed rows changed this much in one direction by chance. */
type Chance = Pick<Comparison, 'method'> & { pValue: number };

function mcNemar({ improved, regressed }: Pick<Comparison, 'improved' | 'regressed'>): Chance {
  return { pValue: tossProbability(improved, regressed), method: 'mcnemar_exact' };
}

function bySigns(changes: number[]): Chance {
  if (changes.length > MANY) return { pValue: 0, method: 'paired_t' };
  const { pValue, isExact } = permutationProbability(changes);
  return { pValue, method: isExact ? 'permutation_exact' : 'permutation_rounded' };
}

/** The differences that the tests do not reject. 0 is among them unless both reject it. */
function intervalIn(mean: Mean, given: { bounds: Bounds | null; pValue: number; alpha: number }): Interval | null {
  const { bounds, pValue, alpha } = given;
  const found = intervalOf(mean, bounds, alpha);
  if (!found || pValue < alpha) return found;
  return { ...found, low: Math.min(0, found.low), high: Math.max(0, found.high) };
}

/** Bounds of the difference. If all seen rows changed alike, others may have changed more, or not at all. */
function boundsOf({ value, standardError }: Mean, scale: Scale, range: number): Bounds | null {
  const isKnown = scale === 'share' || (standardError === 0 && range > 0);
  if (!isKnown) return null;
  if (standardError > 0) return { low: -range, high: range };
  return { low: value > 0 ? 0 : -range, high: value < 0 ? 0 : range };
}

type Finding = Pick<Comparison, 'verdict' | 'conclusion'>;

function conclude(interval: Interval | null, margin: number, isSignificant: boolean): Finding {
  if (!interval) return NOTHING_KNOWN;
  if (isSignificant) return { verdict: 'significant', conclusion: 'difference' };
  const matters = interval.low <= -margin || interval.high >= margin;
  return matters ? NOTHING_KNOWN : { verdict: 'noise', conclusion: 'no_difference' };
}

function rangeOf(values: number[]): number {
  const [least, most] = [Math.min, Math.max].map((of) => values.reduce((found, value) => of(found, value), values[0]!));
  return (most ?? 0) - (least ?? 0);
}
