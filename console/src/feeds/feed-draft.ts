import type {
  CreateFeedRequest,
  FeedBody,
  PlanFeedRequest,
  PublishedColumnBody,
  UpdateFeedRequest,
} from '../api/schema.gen';
import { type Condition, describeCondition, toFilter } from '../search/conditions';
import { daysBefore } from '../ui/format';

export type Source = FeedBody['source'];
export type Origin = FeedBody['origins'][number];
type Group = NonNullable<FeedBody['filter_group']>;
export type Filter = Group['filters'][number];

/** The items of a list in the form that a feed takes. */
export interface Taken {
  source: Source;
  filter_group: Group;
  q?: string;
  origins: Origin[];
}

/** The settings of a feed as its form holds them. Numbers are texts; an empty one is no limit. */
export interface FeedDraft {
  source: Source;
  name: string;
  /** All of them have to match. */
  filters: Filter[];
  q: string;
  origins: Origin[];
  percent: string;
  rowsPerHour: string;
  rowsPerDay: string;
  costPerDay: string;
  fields: string[];
  /** Separated by commas. */
  variables: string;
  quietSeconds: string;
  recomputeGrown: boolean;
  keepRows: string;
  keepDays: string;
  publishes: PublishedColumnBody[];
  /** Days of stored items that are judged as well: `at` for items since a moment, empty for none. */
  begins: string;
  /** The moment, in local time. */
  since: string;
}

export const ALL_ORIGINS: Record<Origin, string> = {
  application: 'Applications',
  evaluation: 'Evaluations',
  trial: 'Trials in the playground',
};

/** Facts that can become columns; the id, the input and the output are always columns. */
export const FIELDS: Record<Source, readonly string[]> = {
  requests: [
    'engine',
    'provider_type',
    'status',
    'error',
    'latency_ms',
    'cost',
    'input_tokens',
    'output_tokens',
    'request_start_time',
    'prompt_name',
    'prompt_version_number',
    'tool_names',
    'tags',
    'metadata',
    'scores',
    'input_variables',
    'trace_id',
  ],
  traces: [
    'name',
    'status',
    'error',
    'start_time',
    'duration_ms',
    'cost',
    'input_tokens',
    'output_tokens',
    'span_count',
    'error_count',
    'models',
    'tools',
    'user_id',
    'session_id',
    'tags',
    'metadata',
    'environment',
  ],
};

const USUAL_FIELDS: Record<Source, string[]> = {
  requests: ['engine', 'status', 'latency_ms', 'cost'],
  traces: ['name', 'status', 'duration_ms', 'cost'],
};

const NAMES: Record<Source, string> = { requests: 'Requests', traces: 'Traces' };

/** A new feed, of everything or of what a list shows. */
export function newDraft(source: Source, taken?: Taken): FeedDraft {
  return {
    source,
    name: NAMES[source],
    filters: filtersIn(taken?.filter_group ?? null),
    q: taken?.q ?? '',
    origins: taken?.origins ?? ['application'],
    percent: '100',
    rowsPerHour: '',
    rowsPerDay: '',
    costPerDay: '',
    fields: USUAL_FIELDS[source],
    variables: '',
    quietSeconds: '30',
    recomputeGrown: false,
    keepRows: '10000',
    keepDays: '',
    publishes: [],
    begins: '',
    since: '',
  };
}

export function draftOf(feed: FeedBody): FeedDraft {
  return {
    source: feed.source,
    name: feed.name,
    filters: filtersIn(feed.filter_group),
    q: feed.q ?? '',
    origins: feed.origins,
    percent: String(Number((feed.sample_rate * 100).toPrecision(12))),
    rowsPerHour: textOf(feed.rows_per_hour),
    rowsPerDay: textOf(feed.rows_per_day),
    costPerDay: textOf(feed.cost_per_day),
    fields: feed.fields,
    variables: feed.variables.join(', '),
    quietSeconds: String(feed.quiet_seconds),
    recomputeGrown: feed.recompute_grown,
    keepRows: String(feed.keep_rows),
    keepDays: textOf(feed.keep_days),
    publishes: feed.publishes,
    begins: '',
    since: '',
  };
}

const textOf = (value: number | null): string => (value === null ? '' : String(value));
const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Members of an AND group. Any other group is a single filter. */
function filtersIn(group: Group | null): Filter[] {
  if (group === null) return [];
  return group.logic === 'AND' || !group.logic ? group.filters : [group as Filter];
}

export const hasLimit = ({ rowsPerHour, rowsPerDay, costPerDay }: FeedDraft): boolean =>
  [rowsPerHour, rowsPerDay, costPerDay].some((text) => text.trim() !== '');

/** The body of an update: what differs from the first draft. Others may have changed the rest meanwhile. */
export function changeOf(first: FeedDraft, draft: FeedDraft): UpdateFeedRequest {
  const before = namedSettingsOf(first);
  const isChanged = ([key, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[key as keyof UpdateFeedRequest]);
  return Object.fromEntries(Object.entries(namedSettingsOf(draft)).filter(isChanged));
}

const namedSettingsOf = (draft: FeedDraft): UpdateFeedRequest => ({ ...settingsOf(draft), name: draft.name.trim() });

export function toPlan(draft: FeedDraft, now: number): PlanFeedRequest {
  return { ...settingsOf(draft), source: draft.source, begins_at: beginsAt(draft, now) };
}

export function toCreate(draft: FeedDraft, now: number): CreateFeedRequest {
  return { ...toPlan(draft, now), name: draft.name.trim() };
}

function settingsOf(draft: FeedDraft): Omit<UpdateFeedRequest, 'name' | 'state'> {
  const { filters, q, origins, fields, variables, publishes } = draft;
  const isOfRequests = draft.source === 'requests';
  return {
    filter_group: filters.length === 0 ? null : ({ logic: 'AND', filters } as Group),
    q: q.trim() || null,
    origins,
    sample_rate: (numberOf(draft.percent) ?? 100) / 100,
    rows_per_hour: numberOf(draft.rowsPerHour),
    rows_per_day: numberOf(draft.rowsPerDay),
    cost_per_day: numberOf(draft.costPerDay),
    fields,
    variables: isOfRequests ? namesIn(variables) : [],
    quiet_seconds: numberOf(draft.quietSeconds) ?? 30,
    recompute_grown: draft.recomputeGrown,
    keep_rows: numberOf(draft.keepRows) ?? 10_000,
    keep_days: numberOf(draft.keepDays),
    publishes: publishes.filter(({ column_id: id, name }) => id !== '' && name.trim() !== ''),
  };
}

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

/** ISO 8601; null when only new items are judged. */
function beginsAt({ begins, since }: FeedDraft, now: number): string | null {
  if (begins === '') return null;
  if (begins !== 'at') return daysBefore(Number(begins), now);
  const at = new Date(since);
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
}

export const withCondition = (draft: FeedDraft, condition: Condition): FeedDraft => ({
  ...draft,
  filters: [...draft.filters, toFilter<Filter>(condition)],
});

interface Named {
  field: string;
  operator: string;
  value?: unknown;
  nested_key?: string | null;
}

/** Describes a filter in words. */
export function describeFilter(filter: Filter): string {
  if ('filters' in filter) {
    const word = String(filter.logic ?? 'AND').endsWith('OR') ? ' or ' : ' and ';
    return `(${filter.filters.map((each) => describeFilter(each as Filter)).join(word)})`;
  }
  const { field, operator, value, nested_key: key } = filter as Named;
  return describeCondition({ field, operator, key: key ?? '', value: inWords(value) });
}

function inWords(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
}

/** Describes the items that a feed takes, in one line. */
export function describeTaken({ source, filters, q, percent }: FeedDraft): string {
  const what = Number(percent) === 100 ? `All ${source}` : `${percent} % of the ${source}`;
  const conditions = [...(q.trim() === '' ? [] : [`words “${q.trim()}”`]), ...filters.map(describeFilter)];
  return conditions.length === 0 ? what : `${what} where ${conditions.join(' and ')}`;
}

/** Reads the state of a list from the URL; null for a text that is not one. */
export function readTaken(text: string): Taken | null {
  try {
    const { source, filter_group: group, q, origins } = JSON.parse(text) as Partial<Taken>;
    if (source !== 'requests' && source !== 'traces') return null;
    const known = (origins ?? []).filter((origin) => Object.hasOwn(ALL_ORIGINS, origin));
    return {
      source,
      filter_group: Array.isArray(group?.filters) ? group : ({ logic: 'AND', filters: [] } as Group),
      ...(typeof q === 'string' && { q }),
      origins: known.length > 0 ? known : ['application'],
    };
  } catch {
    return null;
  }
}

/** The origins that a feed takes for the scope of a list. */
export function originsOf(scope: string): Origin[] {
  if (scope === 'all') return ['application', 'evaluation', 'trial'];
  return scope === 'server' ? ['evaluation', 'trial'] : ['application'];
}
