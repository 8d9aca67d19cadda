import { type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A list with a cursor, page by page. While something in it is under way the list is read again every second. */
export function useCursorList<T>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  options: { enabled?: boolean; isUnderWay?: (item: T) => boolean } = {},
) {
  const { enabled = true, isUnderWay } = options;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled,
    refetchInterval: ({ state }) =>
      isUnderWay && state.data?.pages.some(({ data }) => data.some(isUnderWay)) ? POLL_MS : false,
  });
  const items = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  return { ...query, items };
}

const POLL_MS = 1000;

/** Reads the lists that begin with one of these words again, after something in them was written. */
export function useRefresh(...words: string[]) {
  const client = useQueryClient();
  return () => Promise.all(words.map((word) => client.invalidateQueries({ queryKey: [word] })));
}
