import { useMemo } from 'react';
import { api } from '../api/client';
import { useFound } from '../api/found';
import type { RequestLogsAfterCursor } from '../api/schema.gen';
import { useCounts } from '../search/counts';
import { listOf, type LogState, toSearch, toWanted } from './log-state';

/** The requests of a state. */
export function useLogs(state: LogState, now: number) {
  const key = JSON.stringify(listOf(state));
  const search = useMemo(() => toSearch(JSON.parse(key) as LogState, now), [key, now]);
  return useFound({
    name: 'logs',
    kind: 'requests',
    search,
    read: async (body, signal) =>
      (await api('POST /api/public/v2/requests/search', { body, signal })) as RequestLogsAfterCursor,
    idOf: ({ id }) => id,
  });
}

/** Counts of the matching requests over time. */
export function useLogCounts(state: LogState, now: number) {
  const key = JSON.stringify(listOf(state));
  const wanted = useMemo(() => toWanted(JSON.parse(key) as LogState, now), [key, now]);
  const counts = useCounts('logs', wanted, (body, signal) =>
    api('POST /api/public/v2/requests/histogram', { body, signal }),
  );
  return { ...counts, wanted };
}
