import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

/**
 * How something is looked at, in the query of the URL. Values that are as they are by default are left out. A choice is a step for
 * Back; what changes with every letter or arrow replaces.
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [T, (change: Partial<T>, how?: { replace: boolean }) => void] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const state = readState(defaults, search);
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

function readState<T extends Record<string, string>>(defaults: T, search: string): T {
  const given = new URLSearchParams(search);
  const entries = Object.entries(defaults).map(([key, value]) => [key, given.get(key) ?? value]);
  return Object.fromEntries(entries) as T;
}
