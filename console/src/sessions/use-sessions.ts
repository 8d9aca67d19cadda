import { useEffect, useMemo } from 'react';
import { api } from '../api/client';
import { useFound } from '../api/found';
import { SCOPE } from '../shell/scope';
import { hasRange, startOf, TIME } from '../ui/time-range';

/** State of the list in the URL. `q` is the id of a user. */
export const DEFAULTS = { ...SCOPE, ...TIME, q: '', view: '' };
export type SessionsState = typeof DEFAULTS;

const PAGE = 50;

/** Identifies the list of a state. */
export const listOf = (state: SessionsState): string => JSON.stringify({ ...state, view: '' });

function toQuery({ origin, env, q, ...time }: SessionsState, now: number) {
  const user = q.trim();
  const start = startOf(time, now);
  return {
    limit: PAGE,
    ...(origin !== 'all' && { origin: origin === 'server' ? ('server' as const) : ('application' as const) }),
    ...(env !== '' && { environment: env }),
    ...(user !== '' && { user_id: user }),
    ...(start !== null && { start_time: start }),
    ...(hasRange(time) && { start_time: time.from, end_time: time.to }),
  };
}

/** The sessions of a state. A page may be empty though there are further ones: these are read until there is something to show. */
export function useSessions(state: SessionsState, now: number) {
  const key = listOf(state);
  const search = useMemo(() => toQuery(JSON.parse(key) as SessionsState, now), [key, now]);
  const found = useFound({
    name: 'sessions',
    kind: 'spans',
    search,
    read: async (query, signal) => {
      const { data, ...page } = await api('GET /api/public/v2/sessions', { query, signal });
      return { ...page, items: data };
    },
    idOf: ({ session_id, last_time }) => `${last_time} ${session_id}`,
  });
  const { items, more, isFetching } = found;
  const isLooking = items.length === 0 && more.has && !more.failed;
  useEffect(() => {
    if (isLooking && !isFetching) more.load();
  });
  return { ...found, isLooking };
}
