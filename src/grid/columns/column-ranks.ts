import { RANK_GAP } from './insert-column.js';

/** Moves stay below it, so that columns that are added later find ranks that fit into an integer. */
const MOST_RANK = 2 ** 30;

interface Ranked {
  positionRank: number;
}

/**
 * The new ranks of the columns that need one once those at `moving` (from, up to but not including to) stand where they now do in
 * `order`. They share the gap between their neighbours; only where that is too narrow do others get new ranks, too.
 */
export function movedRanks<C extends Ranked>({
  order,
  moving: { from, to },
}: {
  order: C[];
  moving: { from: number; to: number };
}): Map<C, number> {
  const previous = order[from - 1]?.positionRank ?? 0;
  const step = Math.min(RANK_GAP, Math.floor(((order[to]?.positionRank ?? MOST_RANK) - previous) / (to - from + 1)));
  if (step > 0) {
    return new Map(order.slice(from, to).map((column, index) => [column, previous + (index + 1) * step]));
  }
  const spaced = order.map((column, index): [C, number] => [column, (index + 1) * RANK_GAP]);
  return new Map(spaced.filter(([column, rank]) => column.positionRank !== rank));
}
