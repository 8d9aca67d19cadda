import { useQuery } from '@tanstack/react-query';
import { api } from './client';
import { readAllNumbered, readAllPages } from './lists';

/** The longest page of these lists. */
const PAGE = 100;

/*
 * Lists for fields that offer a choice. They are read as a whole, because an item that is not offered cannot be chosen.
 */

export const useTableChoice = () =>
  useQuery({
    queryKey: ['tables', 'choice'],
    queryFn: ({ signal }) =>
      readAllPages((cursor) => api('GET /api/public/v2/tables', { query: { limit: PAGE, cursor }, signal })),
  });

/** The query of the sheets of a table, so that a screen can invalidate it after a write. */
export const sheetsKey = (tableId: string) => ['table', tableId, 'sheets'];

/** The sheets of a table; none are requested while its id is empty. */
export const useSheetChoice = (tableId: string) =>
  useQuery({
    queryKey: sheetsKey(tableId),
    queryFn: ({ signal }) =>
      readAllPages((cursor) =>
        api('GET /api/public/v2/tables/{table_id}/sheets', {
          path: { table_id: tableId },
          query: { limit: PAGE, cursor },
          signal,
        }),
      ),
    enabled: tableId !== '',
  });

/** The columns of a sheet; none are requested while its id is empty. */
export const useColumnChoice = (tableId: string, sheetId: string) =>
  useQuery({
    queryKey: ['columns', 'choice', sheetId],
    queryFn: ({ signal }) =>
      readAllPages((cursor) =>
        api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns', {
          path: { table_id: tableId, sheet_id: sheetId },
          query: { limit: PAGE, cursor },
          signal,
        }),
      ),
    enabled: sheetId !== '',
  });

export const useQueueChoice = () =>
  useQuery({
    queryKey: ['review-queues', 'choice'],
    queryFn: ({ signal }) =>
      readAllPages((cursor) => api('GET /api/public/v2/review-queues', { query: { limit: PAGE, cursor }, signal })),
    staleTime: 0,
  });

/** The prompts of the registry without snippets, the last changed one first. */
export const usePromptChoice = () =>
  useQuery({
    queryKey: ['prompts', 'choice'],
    queryFn: ({ signal }) =>
      readAllNumbered((page) =>
        api('GET /prompt-templates', {
          query: { page, per_page: PAGE, is_snippet: false, sort_by: 'updated_at' },
          signal,
        }),
      ),
  });

export const useWorkflowChoice = () =>
  useQuery({
    queryKey: ['workflows', 'choice'],
    queryFn: ({ signal }) =>
      readAllNumbered((page) => api('GET /workflows', { query: { page, per_page: PAGE }, signal })),
  });
