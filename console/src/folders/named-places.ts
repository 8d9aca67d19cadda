import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { Place } from '../shell/places';
import { useAfterPause } from '../ui/use-rows';
import { DATASETS, PROMPTS, TABLES } from './kinds';
import { type Entity, FOLDERS } from './use-folders';

const PAUSE_MS = 150;
/** Maximum number of suggestions. */
const MOST = 8;

/** Folders, tables and datasets whose names contain a text. */
export function useNamedPlaces(text: string): Place[] {
  const [asked, setAsked] = useState('');
  useAfterPause(text.trim(), PAUSE_MS, setAsked);
  const { data } = useQuery({
    queryKey: ['folders', 'named', asked],
    queryFn: ({ signal }) =>
      api(`GET ${FOLDERS}/entities`, {
        query: { filter_type: ['FOLDER', 'DATASET', 'TABLE'], flatten: true, search_query: asked },
        signal,
      }),
    enabled: asked.length > 1,
    placeholderData: keepPreviousData,
  });
  return asked.length > 1 ? (data?.entities ?? []).slice(0, MOST).flatMap(placesOf) : [];
}

/** Screens that open an entity. A folder holds entities of every kind, so it opens in the lists that show folders. */
function placesOf({ type, id, name }: Entity): Place[] {
  if (type === 'DATASET') return [{ title: name, hint: 'Dataset', path: DATASETS.pathOf(id) }];
  if (type === 'TABLE') return [{ title: name, hint: 'Table', path: TABLES.pathOf(id) }];
  return [PROMPTS, TABLES, DATASETS].map(({ home, title }) => {
    return { title: name, hint: `Folder, ${title.toLowerCase()}`, path: `${home}?folder=${id}` };
  });
}
