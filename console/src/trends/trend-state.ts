import type {
  BreakdownGroupBody,
  HistogramResponse,
  RequestFilter,
  ScoreBucketBody,
  ScoreTrendResponse,
} from '../api/schema.gen';
import { type Condition, toFilter, writeCondition } from '../search/conditions';
import { requestScope, type Scope, SCOPE, withScope } from '../shell/scope';
import type { TimeBar } from '../ui/bars';
import { count, counted, dollars, duration, rounded } from '../ui/format';
import { startOf } from '../ui/time-range';

/** State of the screen in the URL. `only` is the group whose calls the chart shows. */
export const DEFAULTS = { ...SCOPE, metric: 'calls', by: 'model', days: '7', only: '', label: '', view: '' };
export type TrendState = typeof DEFAULTS;

export const DAYS = { '1': 'Last 24 hours', '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days' };
export const daysOf = ({ days }: TrendState): string => (Object.hasOwn(DAYS, days) ? days : DEFAULTS.days);

type Bucket = HistogramResponse['buckets'][number];

interface Metric {
  title: string;
  /** The value of a bucket in the chart, and its bad part. */
  of: (bucket: Bucket) => { value: number; bad: number };
  /** How buckets are combined: percentiles cannot be added up. */
  together: 'sum' | 'most';
  ofGroup: (group: BreakdownGroupBody) => number;
  /** The chart in words. */
  words: (value: number) => string;
}

const good = (value: number | null) => ({ value: value ?? 0, bad: 0 });

/** Metrics to show over time and by group. */
export const METRICS: Record<string, Metric> = {
  calls: {
    title: 'Calls',
    of: ({ count: value, failed: bad }) => ({ value, bad }),
    together: 'sum',
    ofGroup: ({ request_count: value }) => value,
    words: (value) => counted(value, 'request'),
  },
  failures: {
    title: 'Failures',
    of: ({ failed }) => ({ value: failed, bad: failed }),
    together: 'sum',
    ofGroup: ({ error_count: value }) => value,
    words: (value) => `${count(value)} failed`,
  },
  cost: {
    title: 'Cost',
    of: ({ cost }) => good(cost),
    together: 'sum',
    ofGroup: ({ total_cost_usd: value }) => value,
    words: dollars,
  },
  p50: {
    title: 'Median latency',
    of: ({ latency_p50_ms: ms }) => good(ms),
    together: 'most',
    ofGroup: ({ latency_p50_ms: ms }) => ms ?? 0,
    words: (value) => `median up to ${duration(value)}`,
  },
  p95: {
    title: '95th percentile',
    of: ({ latency_p95_ms: ms }) => good(ms),
    together: 'most',
    ofGroup: ({ latency_p95_ms: ms }) => ms ?? 0,
    words: (value) => `95th percentile up to ${duration(value)}`,
  },
};
export const metricOf = ({ metric }: TrendState): Metric => METRICS[Object.hasOwn(METRICS, metric) ? metric : 'calls']!;

export const KINDS = {
  model: 'Model',
  provider: 'Provider',
  prompt: 'Prompt',
  prompt_version: 'Prompt and version',
  user: 'User',
  tag: 'Tag',
  environment: 'Environment',
} as const;
export type Kind = keyof typeof KINDS;
export const kindOf = ({ by }: TrendState): Kind => (Object.hasOwn(KINDS, by) ? (by as Kind) : 'model');

const FIELDS: Record<Exclude<Kind, 'prompt_version'>, string> = {
  model: 'engine',
  provider: 'provider_type',
  prompt: 'prompt_id',
  user: 'user_id',
  tag: 'tags',
  environment: 'environment',
};

/** Conditions that the requests of a group match. */
export function conditionsOf(kind: Kind, value: string): Condition[] {
  if (kind !== 'prompt_version') {
    return [{ field: FIELDS[kind], key: '', operator: kind === 'tag' ? 'contains' : 'is', value }];
  }
  const [id = '', version = ''] = value.split(':');
  return [
    { field: 'prompt_id', key: '', operator: 'is', value: id },
    { field: 'prompt_version_number', key: '', operator: 'eq', value: version },
  ];
}

/** The query of the chart: the requests of the scope, or those of one group. */
export function toHistogram(state: TrendState, now: number) {
  const conditions = state.only === '' ? [] : conditionsOf(kindOf(state), state.only);
  const filters = [...conditions.map((condition) => toFilter<RequestFilter>(condition)), ...requestScope(state)];
  return {
    filter_group: { logic: 'AND' as const, filters },
    start_time: startOf({ days: daysOf(state) }, now),
    end_time: new Date(now).toISOString(),
  };
}

export function toBreakdown(state: TrendState, limit: number) {
  const origin = state.origin === 'server' ? ('server' as const) : ('application' as const);
  return { by: kindOf(state), days: Number(daysOf(state)), limit, ...(state.origin !== 'all' && { origin }) };
}

/** The bars of a metric. */
export function barsOf({ buckets, bucket_seconds: seconds }: HistogramResponse, metric: Metric): TimeBar[] {
  return buckets.map((bucket) => ({
    from: bucket.start_time,
    to: new Date(Date.parse(bucket.start_time) + (seconds ?? 0) * 1000).toISOString(),
    ...metric.of(bucket),
  }));
}

/** Describes the combined bars of a range of time. */
export function describeBars(bars: readonly TimeBar[], { from, to }: Pick<TimeBar, 'from' | 'to'>, metric: Metric) {
  const values = bars.filter((bar) => bar.from >= from && bar.to <= to).map(({ value }) => value);
  const add = (sum: number, value: number) => (metric.together === 'sum' ? sum + value : Math.max(sum, value));
  return metric.words(values.reduce(add, 0));
}

/** Prefix of metrics that are scores. */
const SCORE = 'score:';
export const scoreMetric = (name: string): string => `${SCORE}${name}`;
/** The name of the score; null for other metrics. */
export const scoreOf = ({ metric }: TrendState): string | null =>
  metric.startsWith(SCORE) ? metric.slice(SCORE.length) : null;

export function toScoreTrend(state: TrendState, name: string, limit: number) {
  const { env: environment, only: value } = state;
  return { ...toBreakdown(state, limit), name, ...(environment && { environment }), ...(value && { value }) };
}

/** A bar for every bucket since the beginning. A bucket without scores is empty. */
export function scoreBars({ since, bucket_seconds: seconds, buckets }: ScoreTrendResponse, now: number) {
  const found = new Map(buckets.map((bucket) => [Date.parse(bucket.start_time), bucket]));
  const starts: number[] = [];
  for (let at = Date.parse(since); at <= now; at += seconds * 1000) starts.push(at);
  return starts.map((at) => {
    const bucket = found.get(at);
    const time = { from: new Date(at).toISOString(), to: new Date(at + seconds * 1000).toISOString() };
    return { ...time, value: bucket?.mean ?? 0, bad: 0, count: bucket?.count ?? 0 };
  });
}

/** Describes the mean of some buckets. */
export function describeScores(buckets: readonly Pick<ScoreBucketBody, 'count' | 'mean'>[]): string {
  const scores = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  if (scores === 0) return 'no scores';
  const total = buckets.reduce((sum, bucket) => sum + bucket.count * bucket.mean, 0);
  return `mean ${rounded(total / scores)} of ${counted(scores, 'score')}`;
}

/** Link to the requests behind a bar or a group. */
export function listOf(state: TrendState, { time, value }: { time: Record<string, string>; value: string }): string {
  const score = scoreOf(state);
  const conditions = [
    ...(value === '' ? [] : conditionsOf(kindOf(state), value)),
    ...(score === null ? [] : [{ field: 'scores', key: score, operator: 'gte', value: '0' }]),
  ];
  const query = {
    ...(conditions.length > 0 && { f: conditions.map(writeCondition).join('\n') }),
    ...(state.metric === 'failures' && { status: 'ERROR' }),
    ...time,
  };
  const { origin, env }: Scope = state;
  return withScope(`/logs?${new URLSearchParams(query).toString()}`, { origin, env });
}
