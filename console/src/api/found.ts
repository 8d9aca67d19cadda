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
  /** First word of the query key. Writes to items of the list invalidate it. */
  name: string;
  /** Kind of the changes after which the list may have new items. */
  kind: Change['kind'];
  search: S;
  read: (search: S & { cursor?: string }, signal: AbortSignal) => Promise<Page<T>>;
  idOf: (item: T) => string | number;
}

/** Relative times such as "the last 24 hours" begin at a full minute, so that Back finds the cached list. */
const MINUTE_MS = 60_000;
export const thisMinute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;

/** Results of a search, page by page. While another search loads, the last results stay. */
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
    if (query.isFetching || query.isPlaceholderData) return;
    // After a failed refresh the pages that are shown come first.
    void (query.error === null || query.isFetchNextPageError ? query.fetchNextPage() : query.refetch());
  };
  return {
    ...query,
    items,
    news,
    isPartial: query.data?.pages.some(({ partial }) => partial === true) ?? false,
    more: { has: query.hasNextPage, failed: query.error !== null, load },
  };
}
