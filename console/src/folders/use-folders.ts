import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { FolderEntityBody } from '../api/schema.gen';
import { type FolderTree, openFolder, treeOf } from './tree';

export const FOLDERS = '/api/public/v2/folders';
const ENTITIES = `GET ${FOLDERS}/entities` as const;

export type Entity = FolderEntityBody;

/** All folders of the workspace. */
export function useFolders() {
  const query = useQuery({
    queryKey: ['folders', 'tree'],
    queryFn: ({ signal }) => api(ENTITIES, { query: { filter_type: ['FOLDER'], flatten: true }, signal }),
  });
  const tree = useMemo<FolderTree>(() => treeOf(query.data?.entities ?? []), [query.data]);
  return { ...query, tree };
}

/** The contents of a folder. With words, also those of the folders below. */
export function useContents(types: readonly Entity['type'][], asked: { folder: string; q: string; isFlat?: boolean }) {
  const q = asked.q.trim();
  const id = openFolder(asked.folder);
  const isFlat = (asked.isFlat ?? false) || q !== '';
  return useQuery({
    queryKey: ['folders', 'contents', types, asked.folder, q, isFlat],
    queryFn: ({ signal }) =>
      api(ENTITIES, {
        query: {
          filter_type: isFlat ? [...types] : ['FOLDER', ...types],
          folder_id: id ?? undefined,
          search_query: q || undefined,
          flatten: isFlat,
        },
        signal,
      }),
  });
}

/** Invalidates folders and the lists of their contents. */
export const useFolderRefresh = () => useRefresh('folders', 'tables', 'prompts', 'datasets');
