import type { HistogramResponse } from '../api/schema.gen';
import { daysBefore } from '../ui/format';

const MINUTE_MS = 60_000;

/** From a moment up to another, which is not part of it. ISO 8601. */
export interface Range {
  from: string;
  to: string;
}

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
  return `${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en-US')} % against the day before`;
}

/** Traces of one name: the 95th percentile of their duration in seconds, and what one costs on average, in dollars. */
export interface Named {
  label: string;
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
    const compared = (what: Grown['what'], value = row.duration, was = old?.duration): Grown[] =>
      value && was && value / was >= LEAST_GROWTH ? [{ name: row.label, what, now: value, growth: value / was }] : [];
    return [...compared('slower'), ...compared('dearer', row.cost, old?.cost)];
  });
  return grown.toSorted((a, b) => b.growth - a.growth).slice(0, MOST_GROWN);
}

/** The list of requests of a time; `conditions` are lines of its filter. */
export function logsOf({ from, to }: Range, more: { status?: string; conditions?: string[] } = {}): string {
  const { status, conditions = [] } = more;
  const query = new URLSearchParams({ from, to, ...(status && { status }) });
  if (conditions.length > 0) query.set('f', conditions.join('\n'));
  return `/logs?${query.toString()}`;
}
