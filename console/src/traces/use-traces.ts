import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client';
import { useNews } from '../api/news';
import type { TraceBody, TracesAfterCursor } from '../api/schema.gen';
import { type ListState, toSearch } from './list-state';

/** "The last 24 hours" begin at a full minute, so that coming back finds what was there. */
const MINUTE_MS = 60_000;

/** The traces of a state, page by page. While another state is on its way those of the last one stay. */
export function useTraces(state: ListState) {
  const key = JSON.stringify(state);
  const search = useMemo(() => {
    return toSearch(JSON.parse(key) as ListState, Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS);
  }, [key]);
  const page = async (cursor: string | null, signal: AbortSignal) => {
    const body = { ...search, ...(cursor !== null && { cursor }) };
    return (await api('POST /api/public/v2/traces/search', { body, signal })) as TracesAfterCursor;
  };
  const first = async (signal: AbortSignal) => (await page(null, signal)).items;
  const query = useInfiniteQuery({
    queryKey: ['traces', search],
    queryFn: ({ pageParam, signal }) => page(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const traces = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? NONE, [query.data]);
  const news = useNews({ queryKey: ['traces', search], kind: 'spans', read: first, idOf, shown: traces });
  return { ...query, traces, news };
}

const NONE: TraceBody[] = [];
const idOf = ({ trace_id: id }: TraceBody) => id;
