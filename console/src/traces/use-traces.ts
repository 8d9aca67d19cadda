import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client';
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
  const query = useInfiniteQuery({
    queryKey: ['traces', search],
    queryFn: async ({ pageParam, signal }) => {
      const body = { ...search, ...(pageParam !== null && { cursor: pageParam }) };
      return (await api('POST /api/public/v2/traces/search', { body, signal })) as TracesAfterCursor;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const traces = useMemo(() => query.data?.pages.flatMap(({ items }) => items) ?? NONE, [query.data]);
  return { ...query, traces };
}

const NONE: TraceBody[] = [];
