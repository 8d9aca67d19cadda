import type { Window } from './windowing';

/** Offsets of columns of different widths, with the total width as the last one. */
export function offsetsOf(widths: number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push(offsets.at(-1)! + width);
  return offsets;
}

/** Columns in view: the first `pinned` stay where they are while the others move. */
export interface Across extends Window {
  pinned: number;
}

/** Pinned columns take no more of the width than this: there has to be room for the others. */
const PINNED_SHARE = 0.6;

/** Which columns have a part in view. As many as fit of the first `pinned` ones stay at the left. */
export function columnsInView(view: { left: number; width: number }, offsets: number[], pinned = 0): Across {
  const count = offsets.length - 1;
  if (count < 1) return { first: 0, end: 0, pinned: 0 };
  const stay = Math.min(pinned, lastAtMost(offsets, view.width * PINNED_SHARE));
  const first = lastAtMost(offsets, view.left + offsets[stay]!);
  const end = lastAtMost(offsets, view.left + view.width) + 1;
  return { first: Math.max(stay, Math.min(first, count - 1)), end: Math.min(end, count), pinned: stay };
}

function lastAtMost(offsets: number[], place: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
