import type { TimeBar } from '../ui/bars';
import type { HistogramResponse } from './schema.gen';

export function barsOf({ buckets, bucket_seconds: seconds }: HistogramResponse): TimeBar[] {
  return buckets.map(({ start_time: from, count, failed }) => ({
    from,
    to: new Date(Date.parse(from) + (seconds ?? 0) * 1000).toISOString(),
    value: count,
    bad: failed,
  }));
}

/** From a moment up to another, which is not part of it: down to a microsecond, as filters take it. */
export const between = (from: string, to: string): [string, string] => [
  from,
  new Date(Date.parse(to) - 1).toISOString().replace('Z', '999Z'),
];
