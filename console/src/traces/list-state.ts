import type { SearchTracesRequest } from '../api/schema.gen';
import { describeScope, SCOPE, traceScope } from '../shell/scope';
import { DAYS, daysBefore } from '../ui/format';

/** How the list is looked at, as it stands in the URL. */
export const DEFAULTS = { ...SCOPE, q: '', status: '', spans: '', days: '', sort: 'trace_start', order: 'desc' };
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

function conditionsOf({ status, spans, days, ...scope }: ListState, now: number): Condition[] {
  const conditions: Condition[] = traceScope(scope);
  if (Object.hasOwn(STATUSES, status) && status !== '')
    conditions.push({ field: 'trace_status', operator: 'is', value: status });
  if (spans === 'many') conditions.push({ field: 'trace_span_count', operator: 'gt', value: 1 });
  if (Object.hasOwn(DAYS, days) && days !== '') {
    conditions.push({ field: 'trace_start', operator: 'after', value: daysBefore(Number(days), now) });
  }
  return conditions;
}

/** What keeps traces out of the list, in words. */
export function describeFilters({ q, status, spans, days, ...scope }: ListState): string[] {
  const named = (what: string, names: Record<string, string>, value: string) =>
    value !== '' && Object.hasOwn(names, value) ? [`the ${what} “${names[value]!}”`] : [];
  return [
    ...(q.trim() === '' ? [] : [`the words “${q.trim()}”`]),
    ...named('status', STATUSES, status),
    ...named('size', SPANS, spans),
    ...named('time', DAYS, days),
    ...describeScope(scope),
  ];
}
