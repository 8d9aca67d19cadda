import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client';
import { thisMinute, useFound } from '../api/found';
import { barsOf } from '../api/histogram';
import type { RequestLogsAfterCursor } from '../api/schema.gen';
import type { TimeBar } from '../ui/bars';
import { listOf, type LogState, toSearch, toWanted, type Wanted } from './log-state';

/** The requests of a state. */
export function useLogs(state: LogState) {
  const key = JSON.stringify(listOf(state));
  const search = useMemo(() => toSearch(JSON.parse(key) as LogState, thisMinute()), [key]);
  return useFound({
    name: 'logs',
    kind: 'requests',
    search,
    read: async (body, signal) =>
      (await api('POST /api/public/v2/requests/search', { body, signal })) as RequestLogsAfterCursor,
    idOf: ({ id }) => id,
  });
}

/** Bars that are told from each other at 1024 px. */
const BARS = 80;

export interface Counts {
  bars: TimeBar[];
  total: number;
  failed: number;
  /** Not everything was counted within the time limit: there are more. */
  isPartial: boolean;
}

/** How many requests of a state there are over time. */
export function useCounts(state: LogState) {
  const key = JSON.stringify(listOf(state));
  const wanted = useMemo(() => toWanted(JSON.parse(key) as LogState, thisMinute()), [key]);
  const query = useQuery({
    queryKey: ['logs', 'counts', wanted],
    queryFn: ({ signal }) => readCounts(wanted, signal),
    placeholderData: keepPreviousData,
  });
  return { ...query, wanted };
}

async function readCounts(wanted: Wanted, signal: AbortSignal): Promise<Counts> {
  const histogram = await api('POST /api/public/v2/requests/histogram', { body: { ...wanted, buckets: BARS }, signal });
  const bars = barsOf(histogram);
  const sum = (of: (bar: TimeBar) => number) => bars.reduce((total, bar) => total + of(bar), 0);
  return { bars, total: sum(({ value }) => value), failed: sum(({ bad }) => bad), isPartial: histogram.partial };
}
