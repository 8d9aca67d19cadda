import type { Band, Levels } from './band.js';
import { atLeast } from './hypergeometric.js';
import { least } from './proportion.js';

/** How often each class of values occurs, by the class; see `latency-sketch.ts`. */
export type Classes = ReadonlyMap<number, number>;

export const totalOf = (classes: Classes): number => [...classes.values()].reduce((sum, count) => sum + count, 0);

/** The place of a percentile among so many values in order, the first being 1. */
export const placeOf = (part: number, count: number): number => Math.max(1, Math.ceil(part * count));

/** The class of the value at a place. */
export function classAt(classes: Classes, place: number): number {
  let missing = place;
  let last = 0;
  for (const [number, count] of [...classes].sort(([a], [b]) => a - b)) {
    missing -= count;
    last = number;
    if (missing <= 0) break;
  }
  return last;
}

interface Compared {
  /** The number of values now, and the place of the percentile among them. */
  now: number;
  place: number;
  /** The number of usual values. */
  usual: number;
}

/**
 * The probability that the value at `place` now is above the usual value at `other`, where all values come from one source. It
 * then is one of order statistics of two samples, whatever the distribution (Gibbons and Chakraborti, Nonparametric Statistical
 * Inference, section 6.5). Values in one class are not above each other, which makes it conservative.
 */
export function isAbove({ now, place, usual }: Compared, other: number): number {
  return atLeast(other, { population: now + usual, marked: usual, draws: other + place - 1 });
}

/** Probability for the other side. */
export function isBelow({ now, place, usual }: Compared, other: number): number {
  return atLeast(place, { population: now + usual, marked: now, draws: other + place - 1 });
}

/** The classes between which the percentile of `now` values is expected. A side has no end where there are too few usual values. */
export function percentileBand(part: number, now: number, usual: Classes, levels: Levels): Band {
  const compared = { now, place: placeOf(part, now), usual: totalOf(usual) };
  const above = least(1, compared.usual + 1, (other) => isAbove(compared, other) <= levels.high);
  const notBelow = least(1, compared.usual + 1, (other) => isBelow(compared, other) > levels.low);
  return {
    low: levels.low === 0 || notBelow === 1 ? null : classAt(usual, notBelow - 1),
    high: levels.high === 0 || above > compared.usual ? null : classAt(usual, above),
  };
}

/** How probable a class at least as far from the usual ones is by chance, to either side. */
export function percentileProbability(part: number, figure: number, now: number, usual: Classes) {
  const compared = { now, place: placeOf(part, now), usual: totalOf(usual) };
  const below = countWhere(usual, (number) => number < figure);
  const upTo = countWhere(usual, (number) => number <= figure);
  return {
    high: below === 0 ? 1 : isAbove(compared, below),
    low: upTo === compared.usual ? 1 : isBelow(compared, upTo + 1),
  };
}

const countWhere = (classes: Classes, holds: (number: number) => boolean): number =>
  [...classes].reduce((sum, [number, count]) => (holds(number) ? sum + count : sum), 0);
