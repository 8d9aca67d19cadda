import { type Bounds, type Interval, intervalOf, meanOf, sum, wilson } from './mean.js';

/** An estimate from some scores for the population they are from. */
export interface Estimate {
  n: number;
  /** The mean; the proportion of ones. null without scores. */
  value: number | null;
  /** null for a single score. */
  standardError: number | null;
  /** null when the scores do not show how far others may be from them. */
  interval: Interval | null;
}

/** `share`: scores are from 0 to 1, such as verdicts. `number`: they may be any numbers, such as ratings. */
export type Scale = 'share' | 'number';

const SHARES: Bounds = { low: 0, high: 1 };

/** Estimates scores: a proportion when they are shares and all of them 0 or 1, otherwise a mean. */
export function estimateScores(scores: readonly number[], scale: Scale): Estimate {
  if (scale === 'number') return estimateMean(scores, null);
  return scores.every(isBinary) ? estimateProportion(sum(scores), scores.length) : estimateMean(scores, SHARES);
}

/** The proportion of ones with Wilson's interval, which is reliable for few scores and for proportions near 0 or 1. */
export function estimateProportion(ones: number, n: number): Estimate {
  if (n === 0) return { n, value: null, standardError: null, interval: null };
  const value = ones / n;
  return { n, value, standardError: Math.sqrt((value * (1 - value)) / n), interval: wilson(ones, n) };
}

/** The mean of values within `bounds`; null for unknown bounds. */
export function estimateMean(values: readonly number[], bounds: Bounds | null): Estimate {
  const n = values.length;
  if (n < 2) return { n, value: values[0] ?? null, standardError: null, interval: null };
  const mean = meanOf(values);
  return { n, value: mean.value, standardError: mean.standardError, interval: intervalOf(mean, bounds) };
}

/**
 * The scale of numbers that are not declared verdicts. Zeros and ones are verdicts; ones alone may also be ratings that
 * are all 1.
 */
export function scaleOfNumbers(numbers: readonly number[]): Scale {
  return numbers.every(isBinary) && numbers.includes(0) && numbers.includes(1) ? 'share' : 'number';
}

export const isBinary = (score: number): boolean => score === 0 || score === 1;
