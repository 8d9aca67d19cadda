import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import type { ColumnTypeBody, OperationPlanResponse, PreviewColumnResponse } from '../api/schema.gen';
import type { Values } from '../ui/schema-fields';
import { useAfterPause } from '../ui/use-rows';
import { SHEET, useSheet } from './sheet-data';

/** Pause in typing before a request. */
const PAUSE_MS = 400;

export interface ColumnTrial {
  /** The plan for all rows; undefined until it is known. */
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

/** Previews a column that is not added yet. `config` is null while a required value is missing. */
export function useColumnTrial(type: ColumnTypeBody | undefined, config: Values | null): ColumnTrial {
  const isComputed = type?.computed ?? false;
  const needsClick = type?.kind === 'external';
  const wanted = bodyOf(type, config);
  const [asked, setAsked] = useState('');
  useAfterPause(wanted, PAUSE_MS, setAsked);
  // Another config needs another click.
  const [tried, setTried] = useState({ body: '', times: 0 });
  const isCurrent = asked !== '' && asked === wanted;
  const times = tried.body === asked ? tried.times : 0;
  const compute = !needsClick || times > 0;
  const { data, error, isFetching } = usePreview(asked, { isCurrent, compute, times });
  return {
    plan: data?.plan,
    rows: compute ? rowsOf(data) : undefined,
    error,
    isWaiting: isFetching,
    needsClick,
    isComputed,
    canTry: needsClick && isCurrent && !error,
    start: () => setTried({ body: asked, times: times + 1 }),
  };
}

/** The body of the preview. Empty while a value is missing, and for a type that is not computed. */
function bodyOf(type: ColumnTypeBody | undefined, config: Values | null): string {
  return type?.computed && config ? JSON.stringify({ type: type.type, config }) : '';
}

const rowsOf = (data: PreviewColumnResponse | undefined) => (data && data.rows.length > 0 ? data.rows : undefined);

/** The preview of the current body. From the second time on, models are called again. */
function usePreview(
  asked: string,
  { isCurrent, compute, times }: { isCurrent: boolean; compute: boolean; times: number },
): { data: PreviewColumnResponse | undefined; error: Error | null; isFetching: boolean } {
  const { path } = useSheet();
  const { data, error, isFetching } = useQuery({
    queryKey: ['column-preview', path, asked, compute, times],
    queryFn: ({ signal }) => {
      const body = { ...(JSON.parse(asked) as { type: string }), compute, force: times > 1 };
      return api(`POST ${SHEET}/columns/preview`, { path, body, signal });
    },
    enabled: isCurrent,
    placeholderData: isCurrent ? keepPreviousData : undefined,
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
  });
  return isCurrent ? { data, error, isFetching } : { data: undefined, error: null, isFetching };
}
