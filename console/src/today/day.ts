import type { HistogramResponse } from '../api/schema.gen';
import { type Scope, withScope } from '../shell/scope';
import { daysBefore } from '../ui/format';
import { nextMinute } from '../ui/time-range';

/** A range of time without its end. ISO 8601. */
export interface Range {
  from: string;
  to: string;
}

/** A range of time, and the scope of its requests and traces. */
export type Seen = Range & Scope;

/** The last 24 hours up to the next full minute, so that Back finds the cached data, and the 24 hours before. */
export function dayBefore(now: number): { today: Range; yesterday: Range } {
  const end = nextMinute(now);
  const range = (days: number): Range => ({ from: daysBefore(days + 1, end), to: daysBefore(days, end) });
  return { today: range(0), yesterday: range(1) };
}

export type Totals = Pick<
  HistogramResponse['buckets'][number],
  'count' | 'failed' | 'cost' | 'unpriced' | 'latency_p50_ms' | 'latency_p95_ms'
>;

const NOTHING: Totals = { count: 0, failed: 0, cost: 0, unpriced: 0, latency_p50_ms: null, latency_p95_ms: null };

/** Totals of a histogram with one bucket; null when it is partial. */
export function totalsOf({ buckets, partial }: HistogramResponse): Totals | null {
  if (partial) return null;
  return buckets[0] ?? NOTHING;
}

/** Describes the change of a number. Null without a number to compare with. */
export function changeOf(now: number | null, before: number | null): string | null {
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? 'the same as the day before' : 'none the day before';
  const change = Math.round((now / before - 1) * 100);
  if (change === 0) return 'the same as the day before';
  return `${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en-US')} % vs. previous day`;
}

/** Percentiles of fewer values are not compared. */
const LEAST_COMPARED = 20;
/** Percentiles of histograms are at most 2 % off, on either side of a comparison. */
const ROUNDING = 0.04;

/** Percentiles of some values, and the number of these values. */
interface Percentiles {
  count: number;
  median: number | null;
  p95: number | null;
}

/** Describes the change of a percentile. Null without one to compare with. */
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

/**
 * The standard error of the logarithm of a percentile. Logarithms of durations are nearly normal, so their deviation
 * follows from two percentiles.
 */
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

/** Smaller growth is not listed. */
const LEAST_GROWTH = 1.2;
const MOST_GROWN = 6;

/** Names whose traces take longer or cost more than the day before, the most grown first. */
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

/** Link to the requests of a range of time; `conditions` are lines of the filter. */
export function logsOf({ from, to, ...scope }: Seen, more: { status?: string; conditions?: string[] } = {}): string {
  const { status, conditions = [] } = more;
  const query = new URLSearchParams({ from, to, ...(status && { status }) });
  if (conditions.length > 0) query.set('f', conditions.join('\n'));
  return withScope(`/logs?${query.toString()}`, scope);
}

/** The same for traces. */
export function tracesOf({ from, to, ...scope }: Seen, more: { status?: string; sort?: string }): string {
  return withScope(`/traces?${new URLSearchParams({ from, to, ...more }).toString()}`, scope);
}
