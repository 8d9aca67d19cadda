/** How wide the bars of a chart over time are. */
export interface BucketSize {
  unit: 'second' | 'minute' | 'hour' | 'day';
  ms: number;
  /** Width in minutes for buckets of minutes, null for all others. */
  minutes: number | null;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Number of bars that a chart shows well. */
export const COMFORTABLE_BUCKETS = 100;

/** Eleven years of days. A range beyond it is a clock that was wrong, not a chart. */
export const MOST_BUCKETS = 4000;

/** Range of a Date, in milliseconds on either side of 1970. A whole number of days. */
const DATE_LIMIT = 8.64e15;

/** All sizes but the day, from the smallest. */
export const SIZES_BELOW_DAY: readonly BucketSize[] = [
  ...[1, 5, 15, 30].map((n): BucketSize => ({ unit: 'second', ms: n * SECOND, minutes: null })),
  ...[1, 5, 15, 30].map((n): BucketSize => ({ unit: 'minute', ms: n * MINUTE, minutes: n })),
  ...[1, 3, 6, 12].map((n): BucketSize => ({ unit: 'hour', ms: n * HOUR, minutes: null })),
];
export const DAILY: BucketSize = { unit: 'day', ms: DAY, minutes: null };

/** The smallest size that covers the range, both ends included, with at most 100 buckets; days for longer ranges. */
export function bucketSizeFor(fromMs: number, toMs: number): BucketSize {
  return SIZES_BELOW_DAY.find((size) => bucketCount(fromMs, toMs, size) <= COMFORTABLE_BUCKETS) ?? DAILY;
}

/** Start of the bucket that holds a moment. Buckets begin at whole multiples of their size in UTC. */
export function bucketStart(ms: number, size: BucketSize): number {
  const inRange = Math.min(DATE_LIMIT, Math.max(-DATE_LIMIT, ms));
  return Math.floor(inRange / size.ms) * size.ms;
}

/**
 * Starts of all buckets of a range, both ends included, oldest first; none when it ends before it begins.
 * A range of more than MOST_BUCKETS is not filled up: only the starts in `occupied` are given, the newest MOST_BUCKETS.
 */
export function bucketStarts(
  fromMs: number,
  toMs: number,
  size: BucketSize,
  occupied: Iterable<number> = [],
): number[] {
  const count = bucketCount(fromMs, toMs, size);
  if (count > MOST_BUCKETS) return [...new Set(occupied)].sort((a, b) => a - b).slice(-MOST_BUCKETS);
  const first = bucketStart(fromMs, size);
  return Array.from({ length: Math.max(0, count) }, (_, index) => first + index * size.ms);
}

/** Names a bucket on the wire: `2026-03-15` for a day, `2026-03-15T14:05:00.000Z` for anything shorter. */
export function bucketKey(startMs: number, size: BucketSize): string {
  const iso = new Date(startMs).toISOString();
  return size.unit === 'day' ? iso.slice(0, iso.indexOf('T')) : iso;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Label under a bar: `Mar 15`, `Mar 15, 14:05`, `Mar 15, 14:05:30`. */
export function bucketLabel(startMs: number, size: BucketSize): string {
  const date = new Date(startMs);
  const day = `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}`;
  if (size.unit === 'day') return day;
  const parts = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].slice(
    0,
    size.unit === 'second' ? 3 : 2,
  );
  return `${day}, ${parts.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

function bucketCount(fromMs: number, toMs: number, size: BucketSize): number {
  return (bucketStart(toMs, size) - bucketStart(fromMs, size)) / size.ms + 1;
}
