import { between } from '../api/histogram';
import type { RequestFilterGroup, SearchRequestLogsRequest } from '../api/schema.gen';
import { DAYS, daysBefore, oneLine, period } from '../ui/format';
import { describeScope, requestScope, SCOPE } from '../shell/scope';
import { type Condition, describeCondition, readConditions, toFilter } from './conditions';

/** How the list is looked at, as it stands in the URL. `f` holds further conditions, `id` the call in the panel, `adding` an import. */
export const DEFAULTS = {
  ...SCOPE,
  q: '',
  status: '',
  days: '',
  from: '',
  to: '',
  f: '',
  sort: 'request_start_time',
  order: 'desc',
  id: '',
  adding: '',
};
export type LogState = typeof DEFAULTS;
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

/** What makes it another list; the panel and an import do not. */
export function listOf(state: LogState): LogState {
  return { ...state, id: '', adding: '' };
}

/** Which requests, as every endpoint takes it. */
export interface Wanted {
  filter_group: RequestFilterGroup;
  q?: string;
}

/** What somebody has written into the URL and means nothing to us is left out, or refused by the server in words. */
export function toWanted(state: LogState, now: number): Wanted {
  const q = state.q.trim();
  return { filter_group: { logic: 'AND', filters: filtersOf(state, now) }, ...(q !== '' && { q }) };
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

/** Conditions that name requests, whoever made them. */
const NAMING = ['pl_id', 'trace_id', 'span_id', 'group_id', 'origin'];

function filtersOf(state: LogState, now: number): RequestFilterGroup['filters'] {
  const { status, days, from, to, f } = state;
  const conditions = readConditions(f);
  const filters: RequestFilterGroup['filters'] = conditions.map(toFilter);
  if (!conditions.some(({ field }) => NAMING.includes(field))) filters.push(...requestScope(state));
  if (isKnown(STATUSES, status)) filters.push({ field: 'status', operator: 'is', value: status });
  if (isKnown(DAYS, days)) {
    filters.push({ field: 'request_start_time', operator: 'after', value: daysBefore(Number(days), now) });
  }
  // The end is the start of the next bar.
  if (hasRange(state)) filters.push({ field: 'request_start_time', operator: 'between', value: between(from, to) });
  return filters;
}

const isKnown = (names: Record<string, string>, value: string): boolean => value !== '' && Object.hasOwn(names, value);

const hasRange = ({ from, to }: LogState): boolean => !Number.isNaN(Date.parse(from)) && !Number.isNaN(Date.parse(to));

/** What keeps requests out of the list, in words. */
export function describeFilters(state: LogState): string[] {
  const { q, status, days } = state;
  return [
    ...(q.trim() === '' ? [] : [`the words “${oneLine(q)}”`]),
    ...(isKnown(STATUSES, status) ? [`the status “${(STATUSES as Record<string, string>)[status]!}”`] : []),
    ...(isKnown(DAYS, days) ? [`the time “${(DAYS as Record<string, string>)[days]!}”`] : []),
    ...describeScope(state),
    ...chipsOf(state).map(({ text }) => text),
  ];
}

/** A condition that is shown by itself, and what the state is without it. */
export interface Chip {
  text: string;
  without: Partial<LogState>;
}

export function chipsOf(state: LogState): Chip[] {
  const conditions = readConditions(state.f);
  const chips = conditions.map((condition: Condition, at) => ({
    text: describeCondition(condition),
    without: { f: state.f.split('\n').toSpliced(at, 1).join('\n') },
  }));
  if (hasRange(state)) chips.unshift({ text: period(state.from, state.to), without: { from: '', to: '' } as never });
  return chips;
}
