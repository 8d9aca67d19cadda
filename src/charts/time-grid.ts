import type { SqlParameters } from '../platform/filters/sql-parameters.js';
import { bucketKey, bucketLabel, bucketSizeFor, type BucketSize, bucketStarts, MOST_BUCKETS } from './buckets.js';
import type { TimeBucket } from './chart.js';

/** The buckets of one chart over time. */
export interface TimeGrid {
  /** SQL for the start of the bucket of a moment, both timestamptz. */
  sql: (moment: string, parameters: SqlParameters) => string;
  /** Starts of all buckets, oldest first, in milliseconds; of a very long range only the occupied ones. */
  starts: (occupied: Iterable<number>) => number[];
  key: (start: number) => string;
  label: (start: number) => string;
}

export interface MomentRange {
  from: number;
  to: number;
}

const DAY: BucketSize = { unit: 'day', ms: 86_400_000, minutes: null };

/** `auto` takes the smallest size with at most 100 buckets, days at most. Weeks begin on Mondays, all in UTC. */
export function timeGrid(bucket: TimeBucket, range: MomentRange): TimeGrid {
  if (bucket === 'auto') return fixedGrid(bucketSizeFor(range.from, range.to), range);
  return bucket === 'day' ? fixedGrid(DAY, range) : calendarGrid(bucket, range);
}

function fixedGrid(size: BucketSize, { from, to }: MomentRange): TimeGrid {
  return {
    sql: (moment, parameters) =>
      `date_bin(make_interval(secs => ${parameters.add(size.ms / 1000)}::float8), ${moment}, 'epoch'::timestamptz)`,
    starts: (occupied) => bucketStarts(from, to, size, occupied),
    key: (start) => bucketKey(start, size),
    label: (start) => bucketLabel(start, size),
  };
}

function calendarGrid(unit: 'week' | 'month', { from, to }: MomentRange): TimeGrid {
  return {
    sql: (moment) => `date_trunc('${unit}', ${moment}, 'UTC')`,
    starts: (occupied) => calendarStarts(unit, { from, to }) ?? newest(occupied),
    key: (start) => bucketKey(start, DAY),
    label: (start) => (unit === 'week' ? `Week of ${bucketLabel(start, DAY)}` : monthLabel(start)),
  };
}

/** Null when there are too many. */
function calendarStarts(unit: 'week' | 'month', { from, to }: MomentRange): number[] | null {
  const starts: number[] = [];
  for (let start = CALENDAR[unit].start(from); start <= to; start = CALENDAR[unit].next(start)) {
    if (starts.length === MOST_BUCKETS) return null;
    starts.push(start);
  }
  return starts;
}

const CALENDAR = {
  week: {
    start: (ms: number) => {
      const midnight = Math.floor(ms / DAY.ms) * DAY.ms;
      const daysSinceMonday = (new Date(midnight).getUTCDay() + 6) % 7;
      return midnight - daysSinceMonday * DAY.ms;
    },
    next: (start: number) => start + 7 * DAY.ms,
  },
  month: {
    start: (ms: number) => monthStart(ms, 0),
    next: (start: number) => monthStart(start, 1),
  },
};

/** Not with Date.UTC, which takes the years up to 99 for those of the 20th century. */
function monthStart(ms: number, later: number): number {
  const date = new Date(ms);
  date.setUTCHours(0, 0, 0, 0);
  return date.setUTCMonth(date.getUTCMonth() + later, 1);
}

function newest(occupied: Iterable<number>): number[] {
  return [...new Set(occupied)].sort((a, b) => a - b).slice(-MOST_BUCKETS);
}

function monthLabel(start: number): string {
  const [month] = bucketLabel(start, DAY).split(' ');
  return `${month} ${new Date(start).getUTCFullYear()}`;
}
