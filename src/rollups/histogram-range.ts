import { SIZES_BELOW_DAY } from '../charts/index.js';

/** From a moment up to another, which is not part of it: microseconds since 1970. */
export interface TimeRange {
  from: bigint;
  to: bigint;
}

export const MOST_BUCKETS = 100;

const SECOND = 1_000_000n;
export const HOUR = 3600n * SECOND;
const DAY = 24n * HOUR;
/** Longest range with buckets finer than hours. They are read row by row, which takes too long for more. */
const LONGEST_FINE = 6n * HOUR;

const WHOLE_DAYS = [
  1n,
  2n,
  5n,
  10n,
  20n,
  50n,
  100n,
  200n,
  500n,
  1000n,
  2000n,
  5000n,
  10_000n,
  20_000n,
  50_000n,
  10_000_000n,
];
/** The widths of buckets, from the smallest. */
const WIDTHS = [...SIZES_BELOW_DAY.map(({ ms }) => BigInt(ms) * 1000n), ...WHOLE_DAYS.map((days) => days * DAY)];

/**
 * The smallest width with which so many buckets cover a range. Buckets begin at whole multiples of their width in UTC, and are
 * not shorter than an hour in ranges of more than six hours.
 */
export function widthFor({ from, to }: TimeRange, mostBuckets: number): bigint {
  const least = to - from > LONGEST_FINE ? HOUR : 0n;
  const fits = (width: bigint) => floorDivide(to - 1n, width) - floorDivide(from, width) < BigInt(mostBuckets);
  return WIDTHS.find((width) => width >= least && fits(width)) ?? WIDTHS.at(-1)!;
}

/** Rounded down, also below zero. */
export function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** The whole hours of a range; null when there are none. */
export function wholeHours({ from, to }: TimeRange): TimeRange | null {
  const first = -floorDivide(-from, HOUR) * HOUR;
  const end = floorDivide(to, HOUR) * HOUR;
  return first < end ? { from: first, to: end } : null;
}

/** Pieces of a range outside of some of its hours, in order. Adjacent pieces are joined. */
export function around(range: TimeRange, hours: TimeRange | null, missing: readonly bigint[]): TimeRange[] {
  if (!hours) return [range];
  const holes = missing.map((from) => ({ from, to: from + HOUR })).sort((a, b) => (a.from < b.from ? -1 : 1));
  const pieces = [{ from: range.from, to: hours.from }, ...holes, { from: hours.to, to: range.to }];
  const joined: TimeRange[] = [];
  for (const piece of pieces.filter(({ from, to }) => from < to)) {
    const last = joined.at(-1);
    if (last && last.to >= piece.from) last.to = piece.to;
    else joined.push({ ...piece });
  }
  return joined;
}
