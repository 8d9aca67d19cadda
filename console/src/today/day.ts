import type { HistogramResponse } from '../api/schema.gen';
import { type Scope, withScope } from '../shell/scope';
import { daysBefore } from '../ui/format';

const MINUTE_MS = 60_000;

/** From a moment up to another, which is not part of it. ISO 8601. */
export interface Range {
  from: string;
  to: string;
}

/** A time, and whose requests and traces of it are counted. */
export type Seen = Range & Scope;

/** The last 24 hours up to a full minute, so that coming back finds what was there, and the 24 hours before. */
export function dayBefore(now: number): { today: Range; yesterday: Range } {
  const end = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const range = (days: number): Range => ({ from: daysBefore(days + 1, end), to: daysBefore(days, end) });
  return { today: range(0), yesterday: range(1) };
}

export type Totals = Pick<
  HistogramResponse['buckets'][number],
  'count' | 'failed' | 'cost' | 'unpriced' | 'latency_p50_ms' | 'latency_p95_ms'
>;

const NOTHING: Totals = { count: 0, failed: 0, cost: 0, unpriced: 0, latency_p50_ms: null, latency_p95_ms: null };

/** What a histogram of one bucket says; null when it does not know everything. */
export function totalsOf({ buckets, partial }: HistogramResponse): Totals | null {
  if (partial) return null;
  return buckets[0] ?? NOTHING;
}

/** How a number has changed, in words. Null where there is nothing to compare with. */
export function changeOf(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? 'the same as the day before' : 'none the day before';
  const change = Math.round((now / before - 1) * 100);
  if (change === 0) return 'the same as the day before';
  return `${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en-US')} % vs. previous day`;
}

/** Percentiles of so few values are not compared. */
const LEAST_COMPARED = 20;
/** Percentiles of histograms are at most 2 % off, on either side of a comparison. */
const ROUNDING = 0.04;

/** Percentiles of some values, and how many these are. */
interface Percentiles {
  count: number;
  median: number | null;
  p95: number | null;
}

/** How a percentile has changed, in words: nothing where the change may be chance. Null where there is nothing to compare with. */
export function percentileChangeOf(which: 'median' | 'p95', now: Percentiles, before: Percentiles): string | null {
  const [value, was] = [now[which], before[which]];
  if (value === null || was === null) return null;
  if (Math.min(now.count, before.count) < LEAST_COMPARED) return 'too few to compare';
  if (value > 0 && was > 0 && !isClear(which, now, before, ROUNDING)) return 'no clear change';
  return changeOf(value, was);
}

/** Whether a percentile has changed by more than chance and rounding do in 95 % of cases. */
function isClear(which: 'median' | 'p95', now: Percentiles, before: Percentiles, rounding = 0): boolean {
  const error = 1.96 * Math.hypot(errorOf(which, now), errorOf(which, before)) + rounding;
  return Math.abs(Math.log(now[which]! / before[which]!)) > error;
}

/** The standard deviations of a normal distribution that lie between its median and its 95th percentile. */
const TO_P95 = 1.645;
/** √(q (1 − q)) / density at q: the standard error of the sample percentile q of n normal values, in deviations, times √n. */
const ERRORS = { median: 1.2533, p95: 2.1132 };

/** The standard error of the logarithm of a percentile. Logarithms of durations are nearly normal, so two percentiles tell their deviation. */
function errorOf(which: 'median' | 'p95', { count, median, p95 }: Percentiles): number {
  const deviation = median && p95 ? Math.log(p95 / median) / TO_P95 : 0;
  return (deviation * ERRORS[which]) / Math.sqrt(count);
}

/** Traces of one name: how many, percentiles of their duration in seconds, and what one costs on average, in dollars. */
export interface Named {
  label: string;
  count?: number | null;
  median?: number | null;
  duration?: number | null;
  cost?: number | null;
}

export interface Grown {
  name: string;
  what: 'slower' | 'dearer';
  now: number;
  growth: number;
}

/** Less is not worth a look. */
const LEAST_GROWTH = 1.2;
const MOST_GROWN = 6;

/** Which traces take longer or cost more than those of the same name did the day before, the most grown first. */
export function grownOf(now: Named[], before: Named[]): Grown[] {
  const earlier = new Map(before.map((row) => [row.label, row]));
  const grown = now.flatMap((row) => {
    const old = earlier.get(row.label);
    if (!old || Math.min(row.count ?? 0, old.count ?? 0) < LEAST_COMPARED) return [];
    const isSlower = isClear('p95', toPercentiles(row), toPercentiles(old));
    const compared = (what: Grown['what'], value = row.duration, was = old.duration): Grown[] =>
      value && was && value / was >= LEAST_GROWTH ? [{ name: row.label, what, now: value, growth: value / was }] : [];
    return [...(isSlower ? compared('slower') : []), ...compared('dearer', row.cost, old.cost)];
  });
  return grown.toSorted((a, b) => b.growth - a.growth).slice(0, MOST_GROWN);
}

const toPercentiles = ({ count, median, duration }: Named): Percentiles => ({
  count: count ?? 0,
  median: median ?? null,
  p95: duration ?? null,
});

/** The list of requests of a time; `conditions` are lines of its filter. */
export function logsOf({ from, to, ...scope }: Seen, more: { status?: string; conditions?: string[] } = {}): string {
  const { status, conditions = [] } = more;
  const query = new URLSearchParams({ from, to, ...(status && { status }) });
  if (conditions.length > 0) query.set('f', conditions.join('\n'));
  return withScope(`/logs?${query.toString()}`, scope);
}
