import { keepPreviousData, type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Change, useChanges, useIsLive } from './live';

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/**
 * A list with a cursor, page by page. While another list loads, the last one stays. The list is read again every second
 * while an item in it is in progress. A list that is `fed` gets entries from elsewhere and is also polled, but only
 * while its first page is all that is shown: a long list would be read as a whole. Where the server announces the end
 * of such work (`told`), the list is read again at that event and otherwise polled rarely.
 */
export function useCursorList<T>(
  queryKey: QueryKey,
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
  options: { enabled?: boolean; isUnderWay?: (item: T) => boolean; fed?: boolean; told?: Change['kind'] } = {},
) {
  const { enabled = true, isUnderWay, fed = false, told } = options;
  const isTold = useIsLive() && told !== undefined;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    enabled,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      if (isTold) return SELDOM_MS;
      if (isUnderWay && data?.pages.some((page) => page.data.some(isUnderWay))) return POLL_MS;
      return fed && data?.pages.length === 1 ? FED_POLL_MS : false;
    },
  });
  useChanges(
    ({ kind }) => enabled && kind === told,
    () => void (enabled && told !== undefined && query.refetch()),
  );
  const items = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  return { ...query, items };
}

const POLL_MS = 1000;
const FED_POLL_MS = 3000;
const SELDOM_MS = 20_000;

/** Reads all pages of a list with a cursor. */
export async function readAllPages<T>(read: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    items.push(...page.data);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** Reads all pages of a list whose pages have numbers. */
export async function readAllNumbered<T>(read: (page: number) => Promise<{ items: T[]; pages: number }>): Promise<T[]> {
  const items: T[] = [];
  let pages = 1;
  for (let page = 1; page <= pages; page++) {
    const answer = await read(page);
    items.push(...answer.items);
    pages = answer.pages;
  }
  return items;
}

/** Invalidates the lists whose query keys begin with one of these words, after a write to their items. */
export function useRefresh(...words: string[]) {
  const client = useQueryClient();
  return () => Promise.all(words.map((word) => client.invalidateQueries({ queryKey: [word] })));
}
