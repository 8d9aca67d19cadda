import { RANK_GAP } from './insert-column.js';

/** Limit of the ranks after moves, which leaves integers for columns that are added later. */
const MOST_RANK = 2 ** 30;

interface Ranked {
  positionRank: number;
}

/**
 * The new ranks of columns after those at `moving` (from, up to but not including to) were moved in `order`. The moved
 * ones share the gap between their neighbours; if it is too narrow, others get new ranks, too.
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
