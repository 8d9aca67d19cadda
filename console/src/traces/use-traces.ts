import { useMemo } from 'react';
import { api } from '../api/client';
import { thisMinute, useFound } from '../api/found';
import type { TracesAfterCursor } from '../api/schema.gen';
import { type ListState, toSearch } from './list-state';

/** The traces of a state. */
export function useTraces(state: ListState) {
  const key = JSON.stringify(state);
  const search = useMemo(() => toSearch(JSON.parse(key) as ListState, thisMinute()), [key]);
  return useFound({
    name: 'traces',
    kind: 'spans',
    search,
    read: async (body, signal) =>
      (await api('POST /api/public/v2/traces/search', { body, signal })) as TracesAfterCursor,
    idOf: ({ trace_id: id }) => id,
  });
}
