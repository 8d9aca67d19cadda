import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { useChanges } from '../api/live';
import type { FeedPlanResponse } from '../api/schema.gen';
import { SHEET, type SheetPath } from '../sheet/sheet-data';
import { useAfterPause } from '../ui/use-rows';
import { type FeedDraft, toPlan } from './feed-draft';

export const FEEDS = `${SHEET}/feeds` as const;
export const FEED = `${FEEDS}/{feed_id}` as const;

/** Maximum number of feeds of a sheet. */
const MOST = 20;
/** Polling interval. Decisions change no cell, so no notification announces them. */
export const POLL_MS = 3000;
const SELDOM_MS = 20_000;
/** Pause in typing before a request. */
const PAUSE_MS = 400;

/** The feeds of a sheet, polled every `everyMs` milliseconds. */
export function useFeeds(path: SheetPath, everyMs = SELDOM_MS) {
  const query = useQuery({
    queryKey: ['sheet', path, 'feeds'],
    queryFn: ({ signal }) => api(`GET ${FEEDS}`, { path, query: { limit: MOST }, signal }),
    refetchInterval: everyMs,
  });
  useChanges(
    ({ kind, id }) => kind === 'sheet' && id === path.sheet_id,
    () => void query.refetch(),
  );
  return query;
}

export interface LivePlan {
  /** Plan for the current draft; undefined until it is known. */
  plan: FeedPlanResponse | undefined;
  error: Error | null;
  isWaiting: boolean;
}

/** The plan of a feed while its form is edited. The last plan stays until the next one has loaded. */
export function useFeedPlan(path: SheetPath, draft: FeedDraft): LivePlan {
  const { name: _, publishes: __, ...deciding } = draft;
  const wanted = JSON.stringify(deciding);
  const [asked, setAsked] = useState('');
  useAfterPause(wanted, PAUSE_MS, setAsked);
  const { data, error, isFetching } = useQuery({
    queryKey: ['feed-plan', path, asked],
    queryFn: ({ signal }) => {
      const body = toPlan({ ...(JSON.parse(asked) as typeof deciding), name: '', publishes: [] }, Date.now());
      return api(`POST ${FEEDS}/plan`, { path, body, signal });
    },
    enabled: asked !== '',
    placeholderData: (before) => before,
    retry: false,
    gcTime: 0,
  });
  return { plan: error ? undefined : data, error, isWaiting: isFetching || asked !== wanted };
}
