import { LEVEL, studentT, Z } from './distributions.js';

/** Where what is estimated lies with 95 % confidence. */
export interface Interval {
  low: number;
  high: number;
  level: number;
  /** `wilson`: of a proportion; `student_t`: of a mean; `newcombe`: of the difference of two proportions of the same rows. */
  method: 'wilson' | 'student_t' | 'newcombe';
}

/** What some scores say about all that could have been. */
export interface Estimate {
  n: number;
  /** The mean; the proportion of ones. null without scores. */
  value: number | null;
  /** null where a single score says nothing about it. */
  standardError: number | null;
  interval: Interval | null;
}

/** The estimate of scores from 0 to 1: that of a proportion when all of them are 0 or 1, or else that of a mean. */
export function estimateScores(scores: readonly number[]): Estimate {
  if (scores.every(isBinary)) return estimateProportion(sum(scores), scores.length);
  const { interval, ...estimate } = estimateMean(scores);
  // No mean of scores is beyond them.
  return {
    ...estimate,
    interval: interval && { ...interval, low: Math.max(0, interval.low), high: Math.min(1, interval.high) },
  };
}

/** How many of all are ones, with Wilson's interval (1927), which is good for few scores and proportions near 0 or 1. */
export function estimateProportion(ones: number, n: number): Estimate {
  if (n === 0) return { n, value: null, standardError: null, interval: null };
  const value = ones / n;
  return { n, value, standardError: Math.sqrt((value * (1 - value)) / n), interval: wilson(ones, n) };
}

/** The mean with Student's interval. */
export function estimateMean(values: readonly number[]): Estimate {
  const n = values.length;
  if (n === 0) return { n, value: null, standardError: null, interval: null };
  const value = sum(values) / n;
  if (n === 1) return { n, value, standardError: null, interval: null };
  const squares = values.map((each) => (each - value) ** 2);
  const standardError = Math.sqrt(sum(squares) / (n - 1) / n);
  const reach = studentT(n - 1) * standardError;
  return {
    n,
    value,
    standardError,
    interval: { low: value - reach, high: value + reach, level: LEVEL, method: 'student_t' },
  };
}

/** Wilson's interval of a proportion. There must be at least one score. */
export function wilson(ones: number, n: number): Interval {
  const square = Z * Z;
  const center = ones + square / 2;
  const reach = Z * Math.sqrt((ones * (n - ones)) / n + square / 4);
  const low = ones === 0 ? 0 : (center - reach) / (n + square);
  const high = ones === n ? 1 : (center + reach) / (n + square);
  return { low, high, level: LEVEL, method: 'wilson' };
}

export const isBinary = (score: number): boolean => score === 0 || score === 1;

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
