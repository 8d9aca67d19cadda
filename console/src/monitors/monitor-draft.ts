import type { MonitorBody, PreviewMonitorRequest, UpdateMonitorRequest } from '../api/schema.gen';
import { isOfScore, isPercentile, isShare, type Measure } from './monitor-words';

type FilterGroup = NonNullable<PreviewMonitorRequest['filter_group']>;
export type Source = MonitorBody['source'];

/** A monitor as its form holds it. Numbers are texts. */
export interface MonitorDraft {
  name: string;
  source: Source;
  measure: Measure;
  percentile: string;
  score: string;
  /** A name of `CONDITIONS`, `own` for a filter that the form cannot show, empty for everything. */
  field: string;
  value: string;
  /** The filter that `own` stands for, and its source. */
  own: { source: Source; filterGroup: FilterGroup } | null;
  q: string;
  origin: string;
  by: string;
  rule: string;
  limit: string;
  weeks: string;
  falseAlarms: string;
  leastChange: string;
  window: string;
  least: string;
  noData: string;
  /** Minutes; empty for the default. */
  closesAfter: string;
  /** Hours; empty for never. */
  repeat: string;
}

export const NEW_MONITOR: MonitorDraft = {
  name: '',
  source: 'requests',
  measure: 'failed_share',
  percentile: '95',
  score: '',
  field: '',
  value: '',
  own: null,
  q: '',
  origin: 'application',
  by: '',
  rule: 'above',
  limit: '20',
  weeks: '4',
  falseAlarms: '0.1',
  leastChange: '0',
  window: '60',
  least: '20',
  noData: 'keep',
  closesAfter: '',
  repeat: '',
};

type Conditions = Record<string, readonly [field: string, operator: string]>;
const CONDITIONS: Record<Source, Conditions> = {
  requests: {
    model: ['engine', 'is'],
    tag: ['tags', 'contains'],
    user: ['user_id', 'is'],
    environment: ['environment', 'is'],
  },
  traces: {
    model: ['trace_models_used', 'contains'],
    tag: ['trace_tags', 'contains'],
    user: ['trace_user_id', 'is'],
    environment: ['trace_environment', 'is'],
  },
};

export const isLimit = ({ rule }: MonitorDraft): boolean => rule === 'above' || rule === 'below';

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(Number(text));

function isComplete(draft: MonitorDraft): boolean {
  if (isLimit(draft) && !isNumber(draft.limit)) return false;
  if (isOfScore(draft.measure) && draft.score.trim() === '') return false;
  return draft.field === '' || draft.field === 'own' || draft.value.trim() !== '';
}

/**
 * The monitor that the form describes; null while a required field is empty. Other empty fields are null, which means
 * the default.
 */
export function toMonitor(draft: MonitorDraft): PreviewMonitorRequest | null {
  if (!isComplete(draft)) return null;
  const { source, measure } = draft;
  return {
    source,
    measure,
    percentile: isPercentile(measure) ? Number(draft.percentile) : null,
    score: isOfScore(measure) ? draft.score.trim() : null,
    filter_group: filterOf(draft),
    q: draft.q.trim() || null,
    origin: draft.origin as 'application',
    by: draft.by === '' ? null : (draft.by as 'model'),
    window_minutes: Number(draft.window),
    ...ruleOf(draft),
    least_items: optional(draft.least),
    no_data: draft.noData as 'keep',
    closes_after_minutes: optional(draft.closesAfter),
    repeat_hours: optional(draft.repeat),
  };
}

const optional = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function filterOf({ source, field: name, value, own }: MonitorDraft): FilterGroup | null {
  if (name === 'own') return own!.filterGroup;
  const [field, operator] = CONDITIONS[source][name] ?? [];
  if (!field) return null;
  return { logic: 'AND', filters: [{ field, operator, value: value.trim() }] } as FilterGroup;
}

type RuleFields = Pick<
  PreviewMonitorRequest,
  'rule' | 'op' | 'limit' | 'direction' | 'weeks' | 'false_alarms_per_week' | 'least_change'
>;

function ruleOf(draft: MonitorDraft): RuleFields {
  const none = { op: null, limit: null, direction: null, weeks: null, false_alarms_per_week: null, least_change: null };
  const scale = scaleOf(draft.measure);
  if (isLimit(draft)) {
    return { ...none, rule: 'limit', op: draft.rule as 'above', limit: Number(draft.limit) / scale };
  }
  const leastChange = optional(draft.leastChange);
  return {
    ...none,
    rule: 'usual',
    direction: draft.rule as 'higher',
    weeks: optional(draft.weeks),
    false_alarms_per_week: optional(draft.falseAlarms),
    least_change: leastChange === null ? null : leastChange / scale,
  };
}

/** Shares are written in percent. */
const scaleOf = (measure: Measure): number => (isShare(measure) ? 100 : 1);

/** The settings of a monitor as its form holds them. */
export function toDraft(monitor: MonitorBody): MonitorDraft {
  const { source, measure } = monitor;
  return {
    ...NEW_MONITOR,
    name: monitor.name,
    source,
    measure,
    percentile: String(monitor.percentile ?? NEW_MONITOR.percentile),
    score: monitor.score ?? '',
    ...conditionOf(monitor),
    q: monitor.q ?? '',
    origin: monitor.origin,
    by: monitor.by ?? '',
    ...ruleTexts(monitor),
    window: String(monitor.window_minutes),
    least: String(monitor.least_items),
    noData: monitor.no_data,
    closesAfter: String(monitor.closes_after_minutes),
    repeat: String(monitor.repeat_hours ?? ''),
  };
}

function ruleTexts(monitor: MonitorBody): Partial<MonitorDraft> {
  // 0.07 * 100 is not 7.
  const text = (value: number | null) => String(Number(((value ?? 0) * scaleOf(monitor.measure)).toPrecision(15)));
  if (monitor.rule === 'limit') return { rule: monitor.op!, limit: text(monitor.limit) };
  return {
    rule: monitor.direction!,
    weeks: String(monitor.weeks),
    falseAlarms: String(monitor.false_alarms_per_week),
    leastChange: text(monitor.least_change),
  };
}

interface Filter {
  field?: string;
  operator?: string;
  value?: unknown;
}

/** The condition of the form, or `own`: filters of the API can have more than one condition. */
function conditionOf({ source, filter_group: group }: MonitorBody): Pick<MonitorDraft, 'field' | 'value' | 'own'> {
  if (group === null) return { field: '', value: '', own: null };
  const own = { source, filterGroup: group };
  const { filters } = group as { filters?: Filter[] };
  const [only, ...others] = filters ?? [];
  const name = Object.entries(CONDITIONS[source]).find(
    ([, [field, operator]]) => only?.field === field && only.operator === operator,
  )?.[0];
  if (name === undefined || others.length > 0 || typeof only?.value !== 'string') {
    return { field: 'own', value: '', own };
  }
  return { field: name, value: only.value, own: null };
}

/**
 * The fields in which a draft differs from its beginning. Others are left out, so that changes of other people stay.
 */
export function changeOf(first: MonitorDraft, draft: MonitorDraft): UpdateMonitorRequest {
  const [before, after] = [toMonitor(first), toMonitor(draft)];
  const changed = Object.entries(after ?? {}).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before?.[key as keyof PreviewMonitorRequest]),
  );
  const name = draft.name.trim();
  return { ...(name !== first.name && { name }), ...Object.fromEntries(changed) };
}

/** Whether a change makes the server evaluate the monitor from the start, which closes its open alerts. */
export const isRedefined = (change: UpdateMonitorRequest): boolean => Object.keys(change).some((key) => key !== 'name');
