import type { SearchTracesRequest } from '../api/schema.gen';
import { originsOf, type Taken } from '../feeds/feed-draft';
import { readConditions, toFilter } from '../search/conditions';
import {
  type Chip,
  chipsOf as searchedChips,
  chosen,
  describeChoice,
  SEARCHED,
  type SetState,
} from '../search/search-state';
import { describeScope, SCOPE, traceScope } from '../shell/scope';
import { oneLine } from '../ui/format';
import { describeTime, TIME, timeFilters } from '../ui/time-range';

/** State of the list in the URL. `f` holds further conditions, `adding` an import. */
export const DEFAULTS = {
  ...SCOPE,
  ...SEARCHED,
  status: '',
  spans: '',
  user: '',
  session: '',
  model: '',
  tool: '',
  tag: '',
  sort: 'trace_start',
  order: 'desc',
};
export type ListState = typeof DEFAULTS;
export type SetList = SetState<ListState>;
export type Sort = NonNullable<SearchTracesRequest['sort_by']>;

const PAGE = 50;
const SORTS: readonly string[] = [
  'trace_start',
  'trace_duration_ms',
  'trace_span_count',
  'trace_total_tokens',
  'trace_total_cost_usd',
] satisfies Sort[];

export const STATUSES = { '': 'Any status', ERROR: 'Failed', OK: 'Succeeded', UNSET: 'No status' };
export const SPANS = { '': 'All traces', many: 'Multi-span only' };

/** Filters of links: traces with one value. */
const NAMED = {
  user: { field: 'trace_user_id', operator: 'is' },
  session: { field: 'trace_session_id', operator: 'is' },
  model: { field: 'trace_models_used', operator: 'contains' },
  tool: { field: 'trace_tool_names', operator: 'contains' },
  tag: { field: 'trace_tags', operator: 'contains' },
} as const;
const NAMES = Object.keys(NAMED) as (keyof typeof NAMED)[];

type FilterGroup = NonNullable<SearchTracesRequest['filter_group']>;
type Filters = FilterGroup['filters'];

/** The state that identifies the list: without an import and the saved view. */
export const listOf = (state: ListState): ListState => ({ ...state, adding: '', view: '' });

/** Conditions for traces, in the form that every endpoint takes. */
export interface WantedTraces {
  filter_group: FilterGroup;
  q?: string;
}

/** Invalid values of the URL are ignored, or refused by the server with a message. */
export function toWanted(state: ListState, now: number): WantedTraces {
  const q = state.q.trim();
  return { filter_group: { logic: 'AND', filters: filtersOf(state, now) }, ...(q !== '' && { q }) };
}

/** The list in the form that a feed takes, without its time range. */
export function toTaken(state: ListState): Taken {
  const everywhere = { ...state, ...TIME, origin: 'all' };
  const origins = originsOf(isNamed(state) ? 'all' : state.origin);
  return { source: 'traces', ...toWanted(everywhere, 0), origins };
}

export function toSearch(state: ListState, now: number): SearchTracesRequest {
  return {
    ...toWanted(state, now),
    sort_by: (SORTS.includes(state.sort) ? state.sort : 'trace_start') as Sort,
    sort_order: state.order === 'asc' ? 'asc' : 'desc',
    limit: PAGE,
  };
}

/** Conditions that name traces. They apply to every origin. */
const NAMING = ['trace_id', 'span_id', 'trace_origin'];

const isNamed = ({ f }: ListState): boolean => readConditions(f).some(({ field }) => NAMING.includes(field));

function filtersOf(state: ListState, now: number): Filters {
  const conditions = readConditions(state.f);
  const filters: Filters = isNamed(state) ? [] : traceScope(state);
  filters.push(...conditions.map((condition) => toFilter<Filters[number]>(condition)));
  for (const name of NAMES) if (state[name] !== '') filters.push({ ...NAMED[name], value: state[name] });
  const status = chosen(STATUSES, state.status);
  if (status !== null) filters.push({ field: 'trace_status', operator: 'is', value: status });
  if (state.spans === 'many') filters.push({ field: 'trace_span_count', operator: 'gt', value: 1 });
  filters.push(...(timeFilters(state, 'trace_start', now) as Filters));
  return filters;
}

/** Describes the filters of the list in words. */
export function describeFilters(state: ListState): string[] {
  const { q, status, spans } = state;
  return [
    ...(q.trim() === '' ? [] : [`the words “${q.trim()}”`]),
    ...describeChoice('status', STATUSES, status),
    ...describeChoice('size', SPANS, spans),
    ...describeTime(state),
    ...chipsOf(state).map(({ text }) => text),
    ...describeScope(state),
  ];
}

/** Conditions, and the filters of links, each with the state without it. */
export function chipsOf(state: ListState): (Omit<Chip, 'without'> & { without: Partial<ListState> })[] {
  const named = NAMES.filter((name) => state[name] !== '').map((name) => ({
    text: `the ${name} “${oneLine(state[name])}”`,
    without: { [name]: '' },
  }));
  return [...named, ...searchedChips(state)];
}
