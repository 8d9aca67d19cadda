import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { barsOf } from '../api/histogram';
import type { HistogramResponse } from '../api/schema.gen';
import type { TimeBar } from '../ui/bars';

/** Number of bars that can be distinguished at 1024 px. */
const BARS = 80;

export interface Counts {
  bars: TimeBar[];
  total: number;
  failed: number;
  /** Counting hit the time limit: there are more. */
  isPartial: boolean;
}

type Read<W> = (body: W & { buckets: number }, signal: AbortSignal) => Promise<HistogramResponse>;

/** Counts over time of the items that match. `name` is the first word of the query key of their list. */
export function useCounts<W extends object>(name: string, wanted: W, read: Read<W>) {
  return useQuery({
    queryKey: [name, 'counts', wanted],
    queryFn: async ({ signal }) => countsOf(await read({ ...wanted, buckets: BARS }, signal)),
    placeholderData: keepPreviousData,
  });
}

function countsOf(histogram: HistogramResponse): Counts {
  const bars = barsOf(histogram);
  const sum = (of: (bar: TimeBar) => number) => bars.reduce((total, bar) => total + of(bar), 0);
  return { bars, total: sum(({ value }) => value), failed: sum(({ bad }) => bad), isPartial: histogram.partial };
}

interface Loaded {
  items: { length: number };
  hasNextPage: boolean;
}

/** The exact total when counting has finished; before, at least the number of loaded items. */
export function totalOf({ items, hasNextPage }: Loaded, counts?: Counts): { total: number; isExact: boolean } {
  return {
    total: hasNextPage ? Math.max(items.length, counts?.total ?? 0) : items.length,
    isExact: !hasNextPage || (counts !== undefined && !counts.isPartial),
  };
}
