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

/** A range of time without its end, in the form of filters: to the microsecond. */
export const between = (from: string, to: string): [string, string] => [
  from,
  new Date(Date.parse(to) - 1).toISOString().replace('Z', '999Z'),
];
