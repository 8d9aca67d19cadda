import { type ComparisonOptions, comparePaired } from './comparison.js';
import { estimateScores, type Scale } from './estimates.js';
import { sum } from './mean.js';

type Random = () => number;

/** Typical scores of evaluations. `score` returns one for a row, whose difficulty has a normal distribution. */
export interface Shape {
  name: string;
  scale: Scale;
  score: (difficulty: number, effect: number, random: Random) => number;
}

/** Skewed ones are marked. */
export const SHAPES: Shape[] = [
  { name: 'passed or failed', scale: 'share', score: (row, effect, random) => check(1.5 + row + effect, random) },
  {
    name: 'two checks, most pass (skewed)',
    scale: 'share',
    score: (row, effect, random) => (check(4 + 1.5 * row + effect, random) + check(4 + 1.5 * row + effect, random)) / 2,
  },
  {
    name: 'judge from 0 to 1',
    scale: 'share',
    score: (row, effect, random) => logistic(row + effect + normal(random)),
  },
  {
    name: 'judge near 1 (skewed)',
    scale: 'share',
    score: (row, effect, random) => logistic(2.5 + row + effect + normal(random)),
  },
  {
    name: 'ratings, mostly 5 (skewed)',
    scale: 'number',
    score: (row, effect, random) => Math.min(5, Math.max(1, Math.round(5 + row + effect + normal(random)))),
  },
  {
    name: 'numbers without end (skewed)',
    scale: 'number',
    score: (row, effect, random) => Math.exp((row + effect + normal(random)) / 2),
  },
];

export interface Simulated {
  /** Share of the intervals of a score that contain the mean of all rows. */
  score: number;
  /** Share of the intervals of a difference that contain the true one, for runs that differ. */
  difference: number;
  /** Share of equal runs that were called different. */
  falsePositives: number;
  /** Share of different runs that were called different. */
  found: number;
}

const EFFECT = 0.6;

/** Results of `sets` simulated comparisons of `rows` rows. The same seed gives the same numbers. */
export function simulate(shape: Shape, { rows, sets, seed }: { rows: number; sets: number; seed: number }): Simulated {
  const random = randomNumbers(seed);
  const run = (difficulties: number[], effect: number) => difficulties.map((row) => shape.score(row, effect, random));
  const draw = (count: number) => Array.from({ length: count }, () => normal(random));
  const many = draw(200_000);
  const mean = average(run(many, 0));
  const difference = average(run(many, EFFECT)) - mean;
  const options: ComparisonOptions = { scale: shape.scale };
  const counts = { score: 0, difference: 0, falsePositives: 0, found: 0 };
  for (let set = 0; set < sets; set++) {
    const sample = draw(rows);
    const [first, same, other] = [run(sample, 0), run(sample, 0), run(sample, EFFECT)];
    counts.score += holds(estimateScores(first, shape.scale).interval, mean);
    const compared = comparePaired(first, other, options);
    counts.difference += holds(compared.interval, difference);
    counts.found += Number(compared.verdict === 'significant');
    counts.falsePositives += Number(comparePaired(first, same, options).verdict === 'significant');
  }
  const share = (count: number) => count / sets;
  return {
    score: share(counts.score),
    difference: share(counts.difference),
    falsePositives: share(counts.falsePositives),
    found: share(counts.found),
  };
}

/** A missing interval excludes nothing. */
function holds(interval: { low: number; high: number } | null, value: number): number {
  return Number(!interval || (interval.low <= value && value <= interval.high));
}

const average = (values: number[]): number => sum(values) / values.length;
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
const check = (chance: number, random: Random): number => (random() < logistic(chance) ? 1 : 0);
const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Numbers from 0 to 1 (mulberry32). */
function randomNumbers(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
