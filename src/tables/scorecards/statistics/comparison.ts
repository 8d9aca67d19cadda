import { ALPHA, LEVEL, tossProbability, tProbability } from './distributions.js';
import { estimateMean, type Interval, isBinary, sum, wilson } from './estimates.js';
import { permutationProbability } from './permutation.js';

/** How two runs over the same rows differ, and whether that is more than chance. */
export interface Comparison {
  /** Rows that have a score in both. */
  n: number;
  /** Rows that have one in a single run, or in none. */
  unpaired: number;
  /** Rows that became better, and worse. */
  improved: number;
  regressed: number;
  /** The mean of the second run less that of the first, over the pairs; null without one. */
  difference: number | null;
  interval: Interval | null;
  /** How probable a difference at least as large would be if the runs were alike; null without pairs. */
  pValue: number | null;
  method: 'mcnemar_exact' | 'permutation_exact' | 'permutation_monte_carlo' | 'paired_t' | null;
  verdict: 'significant' | 'noise';
}

/** A score of each row; null where it has none. */
export type Scores = readonly (number | null)[];

type Test = Pick<Comparison, 'interval' | 'pValue' | 'method'>;

/**
 * Compares the scores of two runs row by row. When all are 0 or 1 by the exact test of McNemar, or else by turning the signs of
 * the differences: all ways to do so where there are few, ways that are drawn at random (the same for the same `seed`) where there
 * are more, and by Student's t where there are so many that this says the same.
 */
export function comparePaired(first: Scores, second: Scores, { seed = 1 }: { seed?: number } = {}): Comparison {
  if (first.length !== second.length) throw new RangeError('Both runs need a score, or null, for each row.');
  const pairs = first.flatMap((before, row): [number, number][] => {
    const after = second[row]!;
    return before === null || after === null ? [] : [[before, after]];
  });
  const differences = pairs.map(([before, after]) => after - before);
  const count = {
    n: pairs.length,
    unpaired: first.length - pairs.length,
    improved: differences.filter((difference) => difference > 0).length,
    regressed: differences.filter((difference) => difference < 0).length,
  };
  if (pairs.length === 0) {
    return { ...count, difference: null, interval: null, pValue: null, method: null, verdict: 'noise' };
  }
  const test = pairs.every((pair) => pair.every(isBinary)) ? mcNemar(pairs) : bySigns(differences, seed);
  return {
    ...count,
    difference: sum(differences) / pairs.length,
    ...test,
    verdict: test.pValue! < ALPHA ? 'significant' : 'noise',
  };
}

/** How often each of the four ways occurs in which a row can have come out. */
interface Outcomes {
  both: number;
  first: number;
  second: number;
  neither: number;
}

function mcNemar(pairs: [number, number][]): Test {
  const outcomes = { both: 0, first: 0, second: 0, neither: 0 };
  for (const [before, after] of pairs) {
    outcomes[before === after ? (before === 1 ? 'both' : 'neither') : before === 1 ? 'first' : 'second']++;
  }
  const pValue = tossProbability(outcomes.second, outcomes.first);
  return { interval: newcombe(outcomes), pValue, method: 'mcnemar_exact' };
}

/** The interval of Newcombe (1998, method 10) for the difference of two proportions of the same rows. */
function newcombe({ both, first, second, neither }: Outcomes): Interval {
  const n = both + first + second + neither;
  const [before, after] = [both + first, both + second];
  const [one, two] = [wilson(before, n), wilson(after, n)];
  const [p1, p2] = [before / n, after / n];
  const phi = correlation({ both, first, second, neither });
  const reach = (a: number, b: number) => Math.sqrt(Math.max(0, a * a - 2 * phi * a * b + b * b));
  return {
    low: Math.max(-1, p2 - p1 - reach(p2 - two.low, one.high - p1)),
    high: Math.min(1, p2 - p1 + reach(two.high - p2, p1 - one.low)),
    level: LEVEL,
    method: 'newcombe',
  };
}

/** How much the outcomes of a row in both runs belong together, corrected for continuity where they do. */
function correlation({ both, first, second, neither }: Outcomes): number {
  const margins = (both + first) * (second + neither) * (both + second) * (first + neither);
  if (margins === 0) return 0;
  const product = both * neither - first * second;
  const half = (both + first + second + neither) / 2;
  return (product > 0 ? Math.max(0, product - half) : product) / Math.sqrt(margins);
}

/** From so many rows on Student's t says the same as turning signs, and says it at once. */
const MANY = 1000;

function bySigns(differences: number[], seed: number): Test {
  const { value, standardError, interval } = estimateMean(differences);
  const moved = differences.filter((difference) => difference !== 0);
  if (moved.length > MANY) {
    return { interval, pValue: tProbability(value! / standardError!, differences.length - 1), method: 'paired_t' };
  }
  const { pValue, isExact } = permutationProbability(moved, seed);
  return { interval, pValue, method: isExact ? 'permutation_exact' : 'permutation_monte_carlo' };
}
