import type { RequestFilterGroup, SearchRequestLogsRequest } from '../api/schema.gen';
import { originsOf, type Taken } from '../feeds/feed-draft';
import { readConditions, toFilter } from '../search/conditions';
import { chipsOf, chosen, describeChoice, SEARCHED, type SetState } from '../search/search-state';
import { describeScope, requestScope, SCOPE } from '../shell/scope';
import { oneLine } from '../ui/format';
import { describeTime, TIME, timeFilters } from '../ui/time-range';

/** State of the list in the URL. `f` holds further conditions, `id` the call in the panel, `adding` an import. */
export const DEFAULTS = {
  ...SCOPE,
  ...SEARCHED,
  status: '',
  sort: 'request_start_time',
  order: 'desc',
  id: '',
};
export type LogState = typeof DEFAULTS;
export type SetLogs = SetState<LogState>;
export type Sort = NonNullable<SearchRequestLogsRequest['sort_by']>;

const PAGE = 50;
const SORTS: readonly string[] = [
  'request_start_time',
  'cost',
  'latency_ms',
  'input_tokens',
  'output_tokens',
  'status',
] satisfies Sort[];

export const STATUSES = { '': 'Any status', ERROR: 'Failed', SUCCESS: 'Succeeded', WARNING: 'With a warning' };

/** The state that identifies the list: without the panel, an import and the saved view. */
export function listOf(state: LogState): LogState {
  return { ...state, id: '', adding: '', view: '' };
}

/** Conditions for requests, in the form that every endpoint takes. */
export interface Wanted {
  filter_group: RequestFilterGroup;
  q?: string;
}

/** Invalid values of the URL are ignored, or refused by the server with a message. */
export function toWanted(state: LogState, now: number): Wanted {
  const q = state.q.trim();
  return { filter_group: { logic: 'AND', filters: filtersOf(state, now) }, ...(q !== '' && { q }) };
}

/** The list in the form that a feed takes, without its time range. */
export function toTaken(state: LogState): Taken {
  const everywhere = { ...state, ...TIME, origin: 'all' };
  const origins = originsOf(isNamed(state) ? 'all' : state.origin);
  return { source: 'requests', ...toWanted(everywhere, 0), origins };
}

export function toSearch(state: LogState, now: number): SearchRequestLogsRequest {
  return {
    ...toWanted(state, now),
    sort_by: (SORTS.includes(state.sort) ? state.sort : 'request_start_time') as Sort,
    sort_order: state.order === 'asc' ? 'asc' : 'desc',
    limit: PAGE,
    include_preview: true,
  };
}

/** Conditions that name requests. They apply to every origin. */
const NAMING = ['pl_id', 'trace_id', 'span_id', 'group_id', 'origin'];

const isNamed = ({ f }: LogState): boolean => readConditions(f).some(({ field }) => NAMING.includes(field));

function filtersOf(state: LogState, now: number): RequestFilterGroup['filters'] {
  const conditions = readConditions(state.f);
  const filters: RequestFilterGroup['filters'] = conditions.map((condition) => toFilter(condition));
  if (!isNamed(state)) filters.push(...requestScope(state));
  const status = chosen(STATUSES, state.status);
  if (status !== null) filters.push({ field: 'status', operator: 'is', value: status });
  filters.push(...(timeFilters(state, 'request_start_time', now) as RequestFilterGroup['filters']));
  return filters;
}

/** Describes the filters of the list in words. */
export function describeFilters(state: LogState): string[] {
  const { q, status } = state;
  return [
    ...(q.trim() === '' ? [] : [`the words “${oneLine(q)}”`]),
    ...describeChoice('status', STATUSES, status),
    ...describeTime(state),
    ...describeScope(state),
    ...chipsOf(state).map(({ text }) => text),
  ];
}
