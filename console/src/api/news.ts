import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type Change, useChanges, useIsLive } from './live';

interface Options<T> {
  /** Query key of the list that is shown. */
  queryKey: QueryKey;
  kind: Change['kind'];
  /** Reads the beginning of the list as it is now. */
  read: (signal: AbortSignal) => Promise<T[]>;
  idOf: (item: T) => string | number;
  /** Items of the list that is shown. It stays as it is until somebody refreshes it. */
  shown: T[];
}

/** Pause between searches for new items: each costs a search, and busy workspaces always have some. */
const APART_MS = 5000;
/** Pause between these without the live channel. */
const POLL_MS = 20_000;

/** How many items at the beginning of a list are new since it was read; at most one page is counted. */
export function useNews<T>({ queryKey, kind, read, idOf, shown }: Options<T>): number {
  const { data, refetch } = useQuery({
    queryKey: ['news', ...queryKey],
    queryFn: async ({ signal }) => (await read(signal)).map(idOf),
    enabled: false,
  });
  useChanges(
    (change) => change.kind === kind,
    () => void refetch({ cancelRefetch: false }),
    APART_MS,
  );
  const isLive = useIsLive();
  useEffect(() => {
    if (isLive) return undefined;
    const timer = setInterval(() => !document.hidden && void refetch({ cancelRefetch: false }), POLL_MS);
    return () => clearInterval(timer);
  }, [isLive, refetch]);
  return useMemo(() => {
    const known = new Set(shown.map(idOf));
    return (data ?? []).filter((id) => !known.has(id)).length;
    // The function is the same in every render, whatever its identity.
  }, [data, shown]);
}
