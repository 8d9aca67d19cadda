import { useMemo } from 'react';
import { api } from '../api/client';
import { useFound } from '../api/found';
import type { TracesAfterCursor } from '../api/schema.gen';
import { useCounts } from '../search/counts';
import { listOf, type ListState, toSearch, toWanted } from './list-state';

/** The traces of a state. */
export function useTraces(state: ListState, now: number) {
  const key = JSON.stringify(listOf(state));
  const search = useMemo(() => toSearch(JSON.parse(key) as ListState, now), [key, now]);
  return useFound({
    name: 'traces',
    kind: 'spans',
    search,
    read: async (body, signal) =>
      (await api('POST /api/public/v2/traces/search', { body, signal })) as TracesAfterCursor,
    idOf: ({ trace_id: id }) => id,
  });
}

/** Counts of the matching traces over time. */
export function useTraceCounts(state: ListState, now: number) {
  const key = JSON.stringify(listOf(state));
  const wanted = useMemo(() => toWanted(JSON.parse(key) as ListState, now), [key, now]);
  const counts = useCounts('traces', wanted, (body, signal) =>
    api('POST /api/public/v2/traces/histogram', { body, signal }),
  );
  return { ...counts, wanted };
}
