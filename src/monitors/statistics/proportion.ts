import { atLeast, atMost } from './hypergeometric.js';
import type { Band, Levels } from './band.js';

/** Number of items, and of marked ones, such as failures. */
export interface Share {
  marked: number;
  items: number;
}

const drawsOf = (marked: number, now: number, usual: Share) => ({
  population: now + usual.items,
  marked: marked + usual.marked,
  draws: now,
});

/** Fisher's exact test: the probability of a share at least as low, and at least as high, where both come from one source. */
export function fisher(now: Share, usual: Share): { low: number; high: number } {
  const draws = drawsOf(now.marked, now.items, usual);
  return { low: atMost(now.marked, draws), high: atLeast(now.marked, draws) };
}

/** The shares of `items` that the test does not reject at these levels: everything outside of the band is unusual. */
export function shareBand(items: number, usual: Share, { low, high }: Levels): Band {
  const isLow = (marked: number) => fisher({ marked, items }, usual).low <= low;
  const isHigh = (marked: number) => fisher({ marked, items }, usual).high <= high;
  const expected = (usual.marked / usual.items) * items;
  return {
    low: low === 0 ? null : least(0, Math.ceil(expected), (marked) => !isLow(marked)) / items,
    high: high === 0 ? null : (least(Math.floor(expected), items + 1, isHigh) - 1) / items,
  };
}

/** The least number from `from` on for which a condition holds that holds for all greater ones; `to` when there is none. */
export function least(from: number, to: number, holds: (number: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
