import { useCallback } from 'react';
import { useLocation } from 'wouter';
import { useQueryOfUrl } from './address';

/**
 * State in the query of the URL, without default values. A choice adds a step to the history; changes with every letter
 * or arrow key replace the current one.
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [T, (change: Partial<T>, how?: { replace: boolean }) => void] {
  const given = useQueryOfUrl();
  const [, navigate] = useLocation();
  const state = readState(defaults, given);
  const set = useCallback(
    (change: Partial<T>, how = { replace: false }) => {
      const url = new URL(window.location.href);
      for (const [key, value] of Object.entries(change)) {
        if (value === undefined || value === defaults[key]) url.searchParams.delete(key);
        else url.searchParams.set(key, value);
      }
      const { pathname } = url;
      navigate(`${pathname.replace(/^\/console/, '')}${url.search}`, how);
    },
    [navigate, defaults],
  );
  return [state, set];
}

function readState<T extends Record<string, string>>(defaults: T, given: URLSearchParams): T {
  const entries = Object.entries(defaults).map(([key, value]) => [key, given.get(key) ?? value]);
  return Object.fromEntries(entries) as T;
}
