import type { SearchTracesRequest } from '../api/schema.gen';
import { describeScope, SCOPE, traceScope } from '../shell/scope';
import { DAYS, daysBefore, oneLine } from '../ui/format';

/** How the list is looked at, as it stands in the URL. */
export const DEFAULTS = {
  ...SCOPE,
  q: '',
  status: '',
  spans: '',
  days: '',
  user: '',
  session: '',
  model: '',
  tool: '',
  tag: '',
  sort: 'trace_start',
  order: 'desc',
};
export type ListState = typeof DEFAULTS;
export type Sort = NonNullable<SearchTracesRequest['sort_by']>;

const PAGE = 50;
const SORTS: readonly string[] = [
  'trace_start',
  'trace_duration_ms',
  'trace_span_count',
  'trace_total_tokens',
  'trace_total_cost_usd',
] satisfies Sort[];

export const STATUSES = { '': 'Any status', ERROR: 'Failed', OK: 'Succeeded', UNSET: 'Not said' };
export const SPANS = { '': 'Any size', many: 'More than one span' };

/** What links lead to: traces that have one value. */
const NAMED = {
  user: { field: 'trace_user_id', operator: 'is' },
  session: { field: 'trace_session_id', operator: 'is' },
  model: { field: 'trace_models_used', operator: 'contains' },
  tool: { field: 'trace_tool_names', operator: 'contains' },
  tag: { field: 'trace_tags', operator: 'contains' },
} as const;
const NAMES = Object.keys(NAMED) as (keyof typeof NAMED)[];

type Condition = NonNullable<SearchTracesRequest['filter_group']>['filters'][number];

/** The search that a state asks for. What somebody has written into the URL and means nothing is left out. */
export function toSearch(state: ListState, now: number): SearchTracesRequest {
  const filters = conditionsOf(state, now);
  return {
    ...(state.q.trim() !== '' && { q: state.q.trim() }),
    ...(filters.length > 0 && { filter_group: { logic: 'AND', filters } }),
    sort_by: (SORTS.includes(state.sort) ? state.sort : 'trace_start') as Sort,
    sort_order: state.order === 'asc' ? 'asc' : 'desc',
    limit: PAGE,
  };
}

function conditionsOf(state: ListState, now: number): Condition[] {
  const { status, spans, days } = state;
  const conditions: Condition[] = traceScope(state);
  for (const name of NAMES) if (state[name] !== '') conditions.push({ ...NAMED[name], value: state[name] });
  if (Object.hasOwn(STATUSES, status) && status !== '')
    conditions.push({ field: 'trace_status', operator: 'is', value: status });
  if (spans === 'many') conditions.push({ field: 'trace_span_count', operator: 'gt', value: 1 });
  if (Object.hasOwn(DAYS, days) && days !== '') {
    conditions.push({ field: 'trace_start', operator: 'after', value: daysBefore(Number(days), now) });
  }
  return conditions;
}

/** What keeps traces out of the list, in words. */
export function describeFilters(state: ListState): string[] {
  const { q, status, spans, days } = state;
  const named = (what: string, names: Record<string, string>, value: string) =>
    value !== '' && Object.hasOwn(names, value) ? [`the ${what} “${names[value]!}”`] : [];
  return [
    ...(q.trim() === '' ? [] : [`the words “${q.trim()}”`]),
    ...named('status', STATUSES, status),
    ...named('size', SPANS, spans),
    ...named('time', DAYS, days),
    ...chipsOf(state).map(({ text }) => text),
    ...describeScope(state),
  ];
}

/** The values that links have led to, each with what the state is without it. */
export const chipsOf = (state: ListState): { text: string; without: Partial<ListState> }[] =>
  NAMES.filter((name) => state[name] !== '').map((name) => ({
    text: `the ${name} “${oneLine(state[name])}”`,
    without: { [name]: '' },
  }));
