import { type QueryKey, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Change, useChanges } from './live';

interface Options<T> {
  /** Of the list that is shown. */
  queryKey: QueryKey;
  kind: Change['kind'];
  /** Reads the beginning of the list as it is now. */
  read: (signal: AbortSignal) => Promise<T[]>;
  idOf: (item: T) => string | number;
  /** What the list shows. It stays as it is until somebody asks for more. */
  shown: T[];
}

/** Each look is a search, and where much comes in there is always news. */
const APART_MS = 5000;

/** How many items at the beginning of a list are new since it was read, as far as one page tells. */
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
  return useMemo(() => {
    const known = new Set(shown.map(idOf));
    return (data ?? []).filter((id) => !known.has(id)).length;
    // The function is the same in every render, whatever its identity.
  }, [data, shown]);
}
