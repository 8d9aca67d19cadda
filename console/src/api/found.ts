import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Change } from './live';
import { useNews } from './news';

interface Page<T> {
  items: T[];
  next_cursor: string | null;
  /** True where some may be missing. */
  partial?: boolean;
}

interface Options<T, S> {
  /** The first word of the key, with which the list is read again after something in it was written. */
  name: string;
  /** What is told when there may be new ones. */
  kind: Change['kind'];
  search: S;
  read: (search: S & { cursor?: string }, signal: AbortSignal) => Promise<Page<T>>;
  idOf: (item: T) => string | number;
}

/** "The last 24 hours" begin at a full minute, so that coming back finds what was there. */
const MINUTE_MS = 60_000;
export const thisMinute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** What a search finds, page by page. While another search is on its way, what the last one has found stays. */
export function useFound<T, S extends object>({ name, kind, search, read, idOf }: Options<T, S>) {
  const query = useInfiniteQuery({
    queryKey: [name, 'list', search],
    queryFn: ({ pageParam, signal }) => read({ ...search, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
  const items = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const news = useNews({
    queryKey: [name, search],
    kind,
    read: async (signal) => (await read(search, signal)).items,
    idOf,
    shown: items,
  });
  const load = () => {
    if (!query.isFetching && !query.isPlaceholderData) void query.fetchNextPage();
  };
  return {
    ...query,
    items,
    news,
    isPartial: query.data?.pages.some(({ partial }) => partial === true) ?? false,
    more: { has: query.hasNextPage, failed: query.error !== null, load },
  };
}
