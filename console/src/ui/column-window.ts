import type { Window } from './windowing';

/** Where columns of different widths begin; one more than there are columns. */
export function offsetsOf(widths: number[]): number[] {
  const offsets = [0];
  for (const width of widths) offsets.push(offsets.at(-1)! + width);
  return offsets;
}

/** Which columns have a part in view. */
export function columnsInView(view: { left: number; width: number }, offsets: number[]): Window {
  const count = offsets.length - 1;
  if (count < 1) return { first: 0, end: 0 };
  const first = lastAtMost(offsets, view.left);
  const end = lastAtMost(offsets, view.left + view.width) + 1;
  return { first: Math.min(first, count - 1), end: Math.min(end, count) };
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
