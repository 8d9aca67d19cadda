import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import { api, type AnswerOf, sentenceOf } from '../api/client';
import { useChanges, useIsLive } from '../api/live';
import type { ColumnBody, ColumnTypeBody, GridRowsResponse } from '../api/schema.gen';
import type { Arranging } from './arrange';
import { Drafts } from './drafts';
import { inOrder, type LoadTile, TILE_COLUMNS, TILE_ROWS, TileStore } from './tiles';

export interface SheetPath {
  table_id: string;
  sheet_id: string;
}

/** How the rows of a sheet are looked at. */
export interface Look {
  /** Only rows in which a cell has this state; empty for all. */
  status: string;
  /** The number of a version; empty for the present. */
  at: string;
}

export const SHEET = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}';

/** How often somebody looks whether the sheet has changed, and how often where changes are told. */
const POLL_MS = 2000;
const SELDOM_MS = 20_000;

/** What all parts of a sheet use. */
export interface SheetTools {
  path: SheetPath;
  /** Those that are shown, in the order in which they are. */
  columns: ColumnBody[];
  /** All, in the order of the sheet. */
  all: ColumnBody[];
  arranging: Arranging;
  types: Map<string, ColumnTypeBody>;
  store: TileStore;
  drafts: Drafts;
  /** False for keys that may only look, and for earlier versions. */
  canEdit: boolean;
  /** Reads again whatever is in view. */
  refresh: () => void;
  /** Says something in a line above the grid; null takes it away. */
  notify: (notice: Notice | null) => void;
}

export interface Notice {
  text: string;
  isBad?: boolean;
}

export const SheetContext = createContext<SheetTools | null>(null);
export const useSheet = (): SheetTools => use(SheetContext)!;

export const noticeOf = (error: unknown): Notice => ({ text: sentenceOf(error as Error), isBad: true });

/** The columns of a sheet and its last row, now or at a version. */
export function useColumns(path: SheetPath, at: string) {
  return useQuery({
    queryKey: ['sheet', path, 'columns', at],
    queryFn: async ({ signal }) => {
      const last = { view: 'grid' as const, limit: 1, order: 'desc' as const, include_columns: true };
      const query = { ...last, ...(at !== '' && { version: at }) };
      return (await api(`GET ${SHEET}/rows`, {
        path,
        query,
        signal,
      })) as GridRowsResponse;
    },
  });
}

export function useColumnTypes() {
  const query = useQuery({
    queryKey: ['column-types'],
    queryFn: ({ signal }) => api('GET /api/public/v2/column-types', { signal }),
    staleTime: Infinity,
  });
  const types = useMemo(() => new Map((query.data?.column_types ?? []).map((type) => [type.type, type])), [query.data]);
  return { ...query, types };
}

export type Overview = AnswerOf<'GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/operations'>;

/** The version of a sheet, its cells by state, and what is being computed: kept up to date. */
export function useOverview(path: SheetPath) {
  const isLive = useIsLive();
  const query = useQuery({
    queryKey: ['sheet', path, 'overview'],
    queryFn: ({ signal }) => api(`GET ${SHEET}/operations`, { path, signal }),
    refetchInterval: isLive ? SELDOM_MS : POLL_MS,
    staleTime: 0,
  });
  useChanges(
    ({ kind, id }) => kind === 'sheet' && id === path.sheet_id,
    () => void query.refetch(),
  );
  return query;
}

/** The cells of a sheet. Those of another look are another store. */
export function useTiles(
  { path, drafts }: Pick<SheetTools, 'path' | 'drafts'>,
  columns: ColumnBody[],
  { status, at }: Look,
): TileStore {
  const ids = columns.map(({ id }) => id).join(',');
  const { table_id: table, sheet_id: sheet } = path;
  const store = useMemo(() => {
    const all = ids === '' ? [] : ids.split(',');
    const where = { table_id: table, sheet_id: sheet };
    const load: LoadTile = async ({ row, column }, signal) => {
      const part = { view: 'grid' as const, from_row: row * TILE_ROWS, limit: TILE_ROWS, include_columns: false };
      const shown = all.slice(column * TILE_COLUMNS, (column + 1) * TILE_COLUMNS);
      const filter = {
        logic: 'AND' as const,
        filters: [{ field: 'cell_status', operator: 'is' as const, value: status }],
      };
      const query = { ...part, columns: shown.join(','), ...(at !== '' && { version: at }) };
      const page =
        status === ''
          ? await api(`GET ${SHEET}/rows`, { path: where, query, signal })
          : await api(`POST ${SHEET}/rows/search`, { path: where, body: { ...part, columns: shown, filter }, signal });
      return inOrder(page as GridRowsResponse, shown);
    };
    // An earlier version has nothing that is not stored.
    return new TileStore(load, all, at === '' ? drafts : new Drafts());
  }, [ids, table, sheet, status, at, drafts]);
  useEffect(() => {
    const leave = drafts.subscribe(store.tell);
    return () => {
      leave();
      store.stop();
    };
  }, [store, drafts]);
  return store;
}

/** Draws again whenever cells have come. */
export function useStoreRevision(store: TileStore): number {
  return useSyncExternalStore(store.subscribe, () => store.revision);
}

/** Forgets what is known of a sheet besides its cells. */
export function useForget(path: SheetPath): () => void {
  const client = useQueryClient();
  const { table_id: table, sheet_id: sheet } = path;
  return useMemo(
    () => () => void client.invalidateQueries({ queryKey: ['sheet', { table_id: table, sheet_id: sheet }] }),
    [client, table, sheet],
  );
}
