import type { Bound } from '../../platform/filters/operators.js';

/**
 * Sizes of numbers, two to each doubling: a range is first looked up by the sizes in it. Smaller and larger numbers
 * than 2^-20 and 2^30 (of milliseconds: twelve days) share the first and the last size.
 */
const SMALLEST = -40;
const LARGEST = 60;
/** A range with more sizes than this is not narrowed down by them. */
const MOST_SIZES = 60;
/** The database and JavaScript may differ in the last digit of a duration. */
const TOLERANCE = 1e-9;

export function sizeOf(value: number): number {
  if (!(value > 0)) return SMALLEST;
  return Math.min(LARGEST, Math.max(SMALLEST, Math.floor(Math.log2(value) * 2)));
}

/** The sizes of numbers within the bounds; null when there are too many for a useful search. */
export function sizesWithin(bounds: Bound[]): number[] | null {
  let [low, high] = [SMALLEST, LARGEST];
  for (const { comparison, value } of bounds) {
    const number = Number(value);
    const margin = Math.abs(number) * TOLERANCE;
    if (comparison !== '<' && comparison !== '<=') low = Math.max(low, sizeOf(number - margin));
    if (comparison !== '>' && comparison !== '>=') high = Math.min(high, sizeOf(number + margin));
  }
  if (high - low >= MOST_SIZES) return null;
  return Array.from({ length: Math.max(0, high - low + 1) }, (_, index) => low + index);
}
