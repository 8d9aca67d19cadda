import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';

/** Tables and sheets that fit into a choice. */
const MOST = 100;

/** The tables to choose from, and the sheets of the one that is chosen; no sheets while its id is empty. */
export function usePlaces(tableId: string) {
  const tables = useQuery({
    queryKey: ['tables', 'choice'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tables', { query: { limit: MOST }, signal }),
  });
  const sheets = useQuery({
    queryKey: ['sheets', 'choice', tableId],
    queryFn: ({ signal }) =>
      api('GET /api/public/v2/tables/{table_id}/sheets', {
        path: { table_id: tableId },
        query: { limit: MOST },
        signal,
      }),
    enabled: tableId !== '',
  });
  return {
    tables: tables.data?.data ?? [],
    sheets: tableId === '' ? [] : (sheets.data?.data ?? []),
    error: tables.error ?? sheets.error,
    refetch: () => void Promise.all([tables.refetch(), sheets.refetch()]),
  };
}
