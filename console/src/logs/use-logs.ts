import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client';
import { useNews } from '../api/news';
import type { RequestLogItem, RequestLogsAfterCursor } from '../api/schema.gen';
import type { TimeBar } from '../ui/bars';
import { listOf, type LogState, toSearch, toWanted, type Wanted } from './log-state';

/** "The last 24 hours" begin at a full minute, so that coming back finds what was there. */
const MINUTE_MS = 60_000;
const minute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** The requests of a state, page by page. While another state is on its way those of the last one stay. */
export function useLogs(state: LogState) {
  const key = JSON.stringify(listOf(state));
  const search = useMemo(() => toSearch(JSON.parse(key) as LogState, minute()), [key]);
  const page = async (cursor: string | null, signal: AbortSignal) => {
    const body = { ...search, ...(cursor !== null && { cursor }) };
    return (await api('POST /api/public/v2/requests/search', { body, signal })) as RequestLogsAfterCursor;
  };
  const first = async (signal: AbortSignal) => (await page(null, signal)).items;
  const query = useInfiniteQuery({
    queryKey: ['logs', 'list', search],
    queryFn: ({ pageParam, signal }) => page(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const logs = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? NONE, [query.data]);
  const isPartial = query.data?.pages.some(({ partial }) => partial === true) ?? false;
  const news = useNews({ queryKey: ['logs', search], kind: 'requests', read: first, idOf, shown: logs });
  return { ...query, logs, isPartial, news };
}

const NONE: RequestLogItem[] = [];
const idOf = ({ id }: RequestLogItem) => id;
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
  const wanted = useMemo(() => toWanted(JSON.parse(key) as LogState, minute()), [key]);
  const query = useQuery({
    queryKey: ['logs', 'counts', wanted],
    queryFn: ({ signal }) => readCounts(wanted, signal),
    placeholderData: keepPreviousData,
  });
  return { ...query, wanted };
}

async function readCounts(wanted: Wanted, signal: AbortSignal): Promise<Counts> {
  const body = { ...wanted, buckets: BARS };
  const {
    buckets,
    bucket_seconds: seconds,
    partial,
  } = await api('POST /api/public/v2/requests/histogram', { body, signal });
  const bars = buckets.map(({ start_time: from, count, failed }) => {
    const to = new Date(Date.parse(from) + (seconds ?? 0) * 1000).toISOString();
    return { from, to, value: count, bad: failed };
  });
  const sum = (of: (bar: TimeBar) => number) => bars.reduce((total, bar) => total + of(bar), 0);
  return { bars, total: sum(({ value }) => value), failed: sum(({ bad }) => bad), isPartial: partial };
}
