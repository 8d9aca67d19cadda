import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { ColumnTypeBody, OperationPlanResponse, PreviewColumnResponse } from '../api/schema.gen';
import type { Values } from '../ui/schema-fields';
import { useAfterPause } from '../ui/use-rows';
import { SHEET, useSheet } from './sheet-data';

/** While somebody types nothing is asked for. */
const PAUSE_MS = 400;

export interface ColumnTrial {
  /** What all rows would take; undefined while nobody knows. */
  plan: OperationPlanResponse | undefined;
  rows: PreviewColumnResponse['rows'] | undefined;
  error: Error | null;
  isWaiting: boolean;
  /** Whether models or services are called. */
  needsClick: boolean;
  isComputed: boolean;
  canTry: boolean;
  start: () => void;
}

/** Tries a column that is not added. `config` is null while something that is required is missing. */
export function useColumnTrial(type: ColumnTypeBody | undefined, config: Values | null): ColumnTrial {
  const { path } = useSheet();
  const isComputed = type?.computed ?? false;
  const needsClick = type?.kind === 'external';
  const wanted = config && isComputed ? JSON.stringify({ type: type!.type, config }) : '';
  const [asked, setAsked] = useState('');
  useAfterPause(wanted, PAUSE_MS, setAsked);
  // What was tried: another config needs another click.
  const [tried, setTried] = useState({ body: '', times: 0 });
  const isCurrent = asked !== '' && asked === wanted;
  const isTried = tried.body === asked;
  const compute = !needsClick || isTried;
  const force = isTried && tried.times > 1;
  const { data, error, isFetching } = useQuery({
    queryKey: ['column-preview', path, asked, compute, isTried ? tried.times : 0],
    queryFn: ({ signal }) => {
      const body = { ...(JSON.parse(asked) as { type: string }), compute, force };
      return api(`POST ${SHEET}/columns/preview`, { path, body, signal });
    },
    enabled: isCurrent,
    placeholderData: isCurrent ? keepPreviousData : undefined,
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  const known = isCurrent ? data : undefined;
  return {
    plan: known?.plan,
    rows: compute && known && known.rows.length > 0 ? known.rows : undefined,
    error: isCurrent ? error : null,
    isWaiting: isFetching,
    needsClick,
    isComputed,
    canTry: needsClick && isCurrent && !error,
    start: () => setTried({ body: asked, times: isTried ? tried.times + 1 : 1 }),
  };
}
