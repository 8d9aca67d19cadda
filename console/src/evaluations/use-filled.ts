import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api/client';
import type { ScorecardBody } from '../api/schema.gen';
import { draftOf } from './column-draft';
import { isSame } from './kept-edits';
import { keptScorers } from './scorers';
import { type Draft, type Filled, pathOf, type SheetColumn, type Wizard } from './wizard-state';

/**
 * Fills the draft from the column and the scorecard of the sheet, unless it was filled from the same before. Not filled
 * while they are on their way: the ones from before a change must not fill it. What others change later on replaces
 * nothing that is being typed.
 */
export function useFilled(
  { state, draft, change, column: chosen }: Wizard,
  columns: SheetColumn[],
  areColumnsFetching: boolean,
) {
  const path = pathOf(state);
  const visit = `${state.sheet} ${chosen}`;
  const [checked, setChecked] = useState('');
  const isAhead = draft.isAhead && draft.filled?.sheet === state.sheet;
  const isNeeded = draft.filled === null || isAhead || checked !== visit;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['sheet', path, 'scorecard', 'wizard'],
    queryFn: ({ signal }) => api('GET /api/public/v2/tables/{table_id}/sheets/{sheet_id}/scorecard', { path, signal }),
    enabled: isNeeded,
    staleTime: 0,
  });
  const isThere = data !== undefined && error === null && !isFetching && !areColumnsFetching;
  useEffect(() => {
    if (!isNeeded || !isThere) return;
    setChecked(visit);
    const column = columns.find(({ id }) => id === chosen) ?? null;
    const found = filledFrom(state.sheet, column, data.scorecard);
    // The draft is newer than the column, which it has changed before the scorers were refused.
    if (isAhead) change({ filled: { ...found, steps: draft.filled!.steps }, isAhead: false });
    else if (!isSame(found, draft.filled)) change(draftFrom(found, draft));
    // oxlint-disable-next-line exhaustive-deps -- the draft is filled when both have come, and not again
  }, [isThere, isNeeded, visit]);
  return { isFilled: isAhead || !isNeeded, error, refetch };
}

function filledFrom(sheet: string, column: SheetColumn | null, scorecard: ScorecardBody | null): Filled {
  const steps = (scorecard?.steps ?? []).map(({ id, title, primitive_type, primitive_config }) => ({
    id,
    title,
    primitive_type,
    primitive_config,
  }));
  const known = column && { id: column.id, title: column.title, type: column.type, config: column.config };
  return { sheet, column: known, steps };
}

/** Scorers that were typed and never saved stay where the sheet has none. */
function draftFrom(filled: Filled, { scorers: typed }: Draft): Partial<Draft> {
  const { column, steps } = filled;
  const scorers = steps.length > 0 ? keptScorers(steps) : typed.filter(({ id }) => id === '');
  return { ...(column && draftOf(column)), scorers, filled, isAhead: false, aim: column?.id ?? '' };
}
