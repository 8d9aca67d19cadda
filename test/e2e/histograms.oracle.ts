import type { Client } from '../support/client.js';
import { type LogItem, REQUESTS, type LogSlice } from '../support/request-logs.js';

/** Expected histograms, computed from the results of searches without the code under test. */

export interface Bucket {
  start_time: string;
  count: number;
  failed: number;
  unpriced: number;
  cost: number;
  input_tokens: number;
  output_tokens: number;
  latency_p50_ms: number | null;
  latency_p95_ms: number | null;
}
export interface Histogram {
  start_time: string | null;
  end_time: string | null;
  bucket_seconds: number | null;
  partial: boolean;
  counted_from: string | null;
  buckets: Bucket[];
}

/** A request log or a trace as far as it is counted. */
export interface Counted {
  startUs: number;
  failed: boolean;
  unpriced: boolean;
  cost: number;
  inputTokens: number;
  outputTokens: number;
  latencyMs: number | null;
}

export const TRACES = '/api/public/v2/traces';

export const histogramOf = async (client: Client, path: string, body: object = {}) =>
  (await client.post(`${path}/histogram`, body)) as Histogram;

export async function listLogs(client: Client, body: object): Promise<Counted[]> {
  const items = await listAll<LogItem>(client, `${REQUESTS}/search`, body);
  return items.map((item) => ({
    startUs: microseconds(item.request_start_time),
    failed: item.status === 'ERROR',
    unpriced: !item.priced,
    cost: item.price,
    inputTokens: item.input_tokens,
    outputTokens: item.output_tokens,
    latencyMs: item.latency * 1000,
  }));
}

interface TraceItem {
  start_time: string;
  status: string;
  unpriced_request_count: number | null;
  total_cost_usd: number;
  input_tokens: number;
  output_tokens: number;
  duration_ms: number | null;
}

export async function listTraces(client: Client, body: object): Promise<Counted[]> {
  const items = await listAll<TraceItem>(client, `${TRACES}/search`, body);
  return items.map((item) => ({
    startUs: microseconds(item.start_time),
    failed: item.status === 'ERROR',
    unpriced: (item.unpriced_request_count ?? 0) > 0,
    cost: item.total_cost_usd,
    inputTokens: item.input_tokens,
    outputTokens: item.output_tokens,
    latencyMs: item.duration_ms,
  }));
}

async function listAll<T>(client: Client, url: string, body: object): Promise<T[]> {
  const items: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = (await client.post(url, { limit: 100, ...body, cursor })) as Omit<LogSlice, 'items'> & { items: T[] };
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return items;
}

/** Microseconds since 1970: no Date knows them. */
export const microseconds = (iso: string): number => {
  const [, fraction = ''] = /\.(\d+)Z$/.exec(iso) ?? [];
  return Math.floor(Date.parse(iso) / 1000) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6));
};

/** The same histogram, counted from what is listed. Costs are compared by `sameCost`. */
export function expectedBuckets(counted: Counted[], { start_time, end_time, bucket_seconds }: Histogram): Bucket[] {
  const [from, to, width] = [microseconds(start_time!), microseconds(end_time!), bucket_seconds! * 1e6];
  const buckets: Bucket[] = [];
  for (let start = Math.floor(from / width) * width; start < to; start += width) {
    const within = counted.filter(
      ({ startUs }) => startUs >= Math.max(from, start) && startUs < Math.min(to, start + width),
    );
    buckets.push({ start_time: new Date(start / 1000).toISOString().replace('.000Z', 'Z'), ...sumsOf(within) });
  }
  return buckets;
}

function sumsOf(items: Counted[]): Omit<Bucket, 'start_time'> {
  const sum = (of: (item: Counted) => number) => items.reduce((total, item) => total + of(item), 0);
  const latencies = items.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a - b);
  const rank = (part: number) => latencies[Math.max(1, Math.ceil(part * latencies.length)) - 1] ?? null;
  return {
    count: items.length,
    failed: items.filter(({ failed }) => failed).length,
    unpriced: items.filter(({ unpriced }) => unpriced).length,
    cost: sum(({ cost }) => cost),
    input_tokens: sum(({ inputTokens }) => inputTokens),
    output_tokens: sum(({ outputTokens }) => outputTokens),
    latency_p50_ms: rank(0.5),
    latency_p95_ms: rank(0.95),
  };
}

/** Differences from the expected buckets, as texts. Percentiles may be 2 % off and rounded to four digits. */
export function differences(found: Bucket[], expected: Bucket[]): string[] {
  if (found.length !== expected.length) return [`${found.length} buckets instead of ${expected.length}`];
  return expected.flatMap((bucket, index) =>
    (Object.keys(bucket) as (keyof Bucket)[]).flatMap((key) => {
      const [is, should] = [found[index]![key], bucket[key]];
      return isSame(key, is, should) ? [] : [`${bucket.start_time} ${key}: ${is} instead of ${should}`];
    }),
  );
}

function isSame(key: keyof Bucket, is: string | number | null, should: string | number | null): boolean {
  if (typeof is !== 'number' || typeof should !== 'number') {
    return key === 'start_time' ? Date.parse(String(is)) === Date.parse(String(should)) : is === should;
  }
  if (key.startsWith('latency')) return Math.abs(is - should) <= should * 0.0201;
  // The prices of the list are numbers, of which the sum here has the rounding errors.
  return key === 'cost' ? Math.abs(is - should) < 1e-12 : is === should;
}
