import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, use, useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { api, type AnswerOf, sentenceOf } from '../api/client';
import { useChanges, useIsLive } from '../api/live';
import type {
  ColumnBody,
  ColumnTypeBody,
  GridRowsResponse,
  RowBody,
  RowsResponse,
  SearchRowsRequest,
} from '../api/schema.gen';
import type { Arranging } from './arrange';
import { Drafts } from './drafts';
import { filterOf, isSelecting, type RowLook } from './row-look';
import type { SetState, SheetState } from './state';
import { inOrder, type LoadTile, TILE_COLUMNS, TILE_ROWS, TileStore } from './tiles';

export interface SheetPath {
  table_id: string;
  sheet_id: string;
}

/** Version, filters and order in which the rows of a sheet are shown. */
export interface Look extends RowLook {
  /** The number of a version; empty for the present. */
  at: string;
}

export const SHEET = '/api/public/v2/tables/{table_id}/sheets/{sheet_id}';

/** Polling intervals of the version of a sheet, without and with the live channel. */
const POLL_MS = 2000;
const SELDOM_MS = 20_000;

/** State and actions shared by all parts of a sheet. */
export interface SheetTools {
  path: SheetPath;
  /** Visible columns in their order. */
  columns: ColumnBody[];
  /** All, in the order of the sheet. */
  all: ColumnBody[];
  arranging: Arranging;
  types: Map<string, ColumnTypeBody>;
  store: TileStore;
  drafts: Drafts;
  /** Changes the state in the URL. */
  set: SetState;
  state: SheetState;
  /** False for read-only keys and for earlier versions. */
  canEdit: boolean;
  /** Reads everything in view again. */
  refresh: () => void;
  /** Shows a line above the grid; null removes it. */
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
  /** Title of a type; its name until the titles are read. */
  const titleOf = useCallback((type: string) => types.get(type)?.title ?? type, [types]);
  return { ...query, types, titleOf };
}

export type Overview = AnswerOf<'GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/operations'>;

/** The version of a sheet, its cells by state, and its running operations, kept up to date. */
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

/** The cells of a sheet. Another look has another store. */
export function useTiles(
  { path, drafts }: Pick<SheetTools, 'path' | 'drafts'>,
  columns: ColumnBody[],
  { at, ...look }: Look,
): TileStore {
  const { status, where, sort, order } = look;
  const ids = columns.map(({ id }) => id).join(',');
  const { table_id: table, sheet_id: sheet } = path;
  const store = useMemo(() => {
    const all = ids === '' ? [] : ids.split(',');
    const address = { table_id: table, sheet_id: sheet };
    const selected = { status, where, sort, order };
    // A version has no filter.
    const selects = at === '' && isSelecting(selected);
    const filter = filterOf(selected);
    const load: LoadTile = async ({ row, column }, signal, rows) => {
      const shown = all.slice(column * TILE_COLUMNS, (column + 1) * TILE_COLUMNS);
      const common = { view: 'grid' as const, limit: TILE_ROWS, include_columns: false };
      const part = { ...common, from_row: row * TILE_ROWS };
      const search = (body: SearchRowsRequest) =>
        api(`POST ${SHEET}/rows/search`, { path: address, body: { ...body, columns: shown }, signal });
      const ordered = { ...(sort !== '' && { sort, order: order === 'desc' ? ('desc' as const) : ('asc' as const) }) };
      const page = rows
        ? await search({ ...common, filter: ofRows(rows) })
        : selects
          ? await search({ ...part, ...ordered, ...(filter && { filter }) })
          : await api(`GET ${SHEET}/rows`, {
              path: address,
              query: { ...part, columns: shown.join(','), ...(at !== '' && { version: at }) },
              signal,
            });
      return inOrder(page as GridRowsResponse, shown);
    };
    // An earlier version has no drafts.
    return new TileStore(load, all, at === '' ? drafts : new Drafts(), selects);
  }, [ids, table, sheet, status, where, sort, order, at, drafts]);
  useEffect(() => {
    const leave = drafts.subscribe(store.tell);
    return () => {
      leave();
      store.stop();
    };
  }, [store, drafts]);
  return store;
}

/** Whole rows by position, now or at a version. */
export async function readRowsAt(
  { path, at }: { path: SheetPath; at: string },
  { from, limit, columns }: { from: number; limit: number; columns: string[] },
  signal?: AbortSignal,
): Promise<RowBody[]> {
  const part = { from_row: from, limit, columns: columns.join(','), include_columns: false };
  const query = { ...part, ...(at !== '' && { version: at }) };
  return ((await api(`GET ${SHEET}/rows`, { path, query, signal })) as RowsResponse).data;
}

/** A filter of exactly these rows. */
export const ofRows = (indexes: number[]): NonNullable<SearchRowsRequest['filter']> => ({
  logic: 'AND',
  filters: [{ field: 'row_index', operator: 'in', value: indexes }],
});

/** Redraws whenever cells have loaded. */
export function useStoreRevision(store: TileStore): number {
  return useSyncExternalStore(store.subscribe, () => store.revision);
}

/** Invalidates all queries of a sheet except its cells. Resolves when those in use are read again. */
export function useForget(path: SheetPath): () => Promise<void> {
  const client = useQueryClient();
  const { table_id: table, sheet_id: sheet } = path;
  return useMemo(
    () => () => client.invalidateQueries({ queryKey: ['sheet', { table_id: table, sheet_id: sheet }] }),
    [client, table, sheet],
  );
}
