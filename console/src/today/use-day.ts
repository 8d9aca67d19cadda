import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client';
import { between } from '../api/histogram';
import type { TraceCustomAnalyticsRequest, RequestFilter, RequestFilterGroup } from '../api/schema.gen';
import { requestScope, traceScope } from '../shell/scope';
import { grownOf, type Named, type Seen, totalsOf } from './day';

const group = <F>(filters: F[]) => ({ logic: 'AND' as const, filters });

/** The filter of a histogram of requests. */
const requestsOf = ({ from, to, ...scope }: Seen) => ({
  start_time: from,
  end_time: to,
  filter_group: group(requestScope(scope)),
});
/** The same for traces. */
const tracesOf = ({ from, to, ...scope }: Seen) => ({
  start_time: from,
  end_time: to,
  filter_group: group(traceScope(scope)),
});

/** Totals of the requests of a range of time. */
export function useRequestTotals(range: Seen) {
  return useQuery({
    queryKey: ['today', 'requests', range],
    queryFn: async ({ signal }) =>
      totalsOf(
        await api('POST /api/public/v2/requests/histogram', { body: { ...requestsOf(range), buckets: 1 }, signal }),
      ),
  });
}

/** The same for traces. */
export function useTraceTotals(range: Seen) {
  return useQuery({
    queryKey: ['today', 'traces', range],
    queryFn: async ({ signal }) =>
      totalsOf(await api('POST /api/public/v2/traces/histogram', { body: { ...tracesOf(range), buckets: 1 }, signal })),
  });
}

/** Requests by the hour. */
export function useHours(range: Seen) {
  return useQuery({
    queryKey: ['today', 'hours', range],
    queryFn: ({ signal }) =>
      api('POST /api/public/v2/requests/histogram', { body: { ...requestsOf(range), buckets: 25 }, signal }),
  });
}

const within = ({ from, to, ...scope }: Seen, ...more: RequestFilter[]): RequestFilterGroup => ({
  logic: 'AND',
  filters: [
    { field: 'request_start_time', operator: 'between', value: between(from, to) },
    ...requestScope(scope),
    ...more,
  ],
});

const FAILED: RequestFilter = { field: 'status', operator: 'is', value: 'ERROR' };
const UNPRICED: RequestFilter[] = [
  { field: 'cost', operator: 'is_null', value: null },
  { field: 'status', operator: 'is_not', value: 'ERROR' },
];
const NEWEST = 8;

/** The newest failures with their messages. */
export function useNewestFailures(range: Seen) {
  return useQuery({
    queryKey: ['today', 'failures', range],
    queryFn: ({ signal }) =>
      api('POST /api/public/v2/requests/search', {
        body: {
          filter_group: within(range, FAILED),
          sort_by: 'request_start_time',
          sort_order: 'desc',
          limit: NEWEST,
          include_preview: true,
        },
        signal,
      }),
  });
}

/** Numbers of requests of a kind by a field, the greatest first. */
export function useCounts(range: Seen, kind: 'failed' | 'unpriced') {
  const groupByField = kind === 'failed' ? ('error_group' as const) : ('engine' as const);
  return useQuery({
    queryKey: ['today', kind, range],
    queryFn: async ({ signal }) => {
      const { customCharts } = await api('POST /api/public/v2/requests/analytics/custom-analytics', {
        body: {
          filter_group: within(range, ...(kind === 'failed' ? [FAILED] : UNPRICED)),
          customCharts: [{ id: 'counts', chartType: 'bar', metric: 'count', groupByField, limit: NEWEST }],
        },
        signal,
      });
      const { data, series } = customCharts[0]!;
      const key = series[0]?.key ?? '';
      return data.map((row) => ({ name: row.label, count: Number((row as Record<string, unknown>)[key] ?? 0) }));
    },
  });
}

const BY_NAME: TraceCustomAnalyticsRequest['customCharts'][number] = {
  id: 'names',
  chartType: 'bar',
  groupByField: 'trace_name',
  limit: 50,
  series: [
    { key: 'median', label: 'Median', metric: 'percentile', percentile: 50, metricField: 'trace_duration_ms' },
    { key: 'duration', label: 'Duration', metric: 'percentile', percentile: 95, metricField: 'trace_duration_ms' },
    { key: 'cost', label: 'Cost', metric: 'avg', metricField: 'trace_total_cost_usd' },
  ],
};

const COUNTS: TraceCustomAnalyticsRequest['customCharts'][number] = {
  id: 'counts',
  chartType: 'bar',
  groupByField: 'trace_name',
  limit: 50,
  metric: 'count',
};

/**
 * Names whose traces take longer or cost more than the day before. The most frequent names are compared: without a
 * condition on them the chart of durations would have the slowest names instead.
 */
export function useGrown(today: Seen, yesterday: Seen) {
  return useQuery({
    queryKey: ['today', 'grown', today],
    queryFn: async ({ signal }) => {
      const names = [...(await countsOf(today, [], signal)).keys()];
      if (names.length === 0) return [];
      const named = [{ field: 'trace_name' as const, operator: 'in' as const, value: names }];
      const [now, before] = await Promise.all([today, yesterday].map((range) => namesIn(range, named, signal)));
      return grownOf(now!, before!);
    },
  });
}

type Filters = NonNullable<TraceCustomAnalyticsRequest['filter_group']>['filters'];
type Chart = TraceCustomAnalyticsRequest['customCharts'][number];

/** The rows of a chart of traces. */
async function chartOf({ from, to, ...scope }: Seen, chart: Chart, named: Filters, signal: AbortSignal) {
  const filters: Filters = [
    { field: 'trace_start', operator: 'after', value: from },
    { field: 'trace_start', operator: 'before', value: to },
    ...traceScope(scope),
    ...named,
  ];
  const body = { filter_group: { logic: 'AND' as const, filters }, customCharts: [chart] };
  const { customCharts } = await api('POST /api/public/v2/traces/analytics/custom-analytics', { body, signal });
  return customCharts[0]!;
}

async function countsOf(range: Seen, named: Filters, signal: AbortSignal): Promise<Map<string, number>> {
  const { data, series } = await chartOf(range, COUNTS, named, signal);
  const key = series[0]?.key ?? '';
  return new Map(data.map((row) => [row.label, Number((row as Record<string, unknown>)[key] ?? 0)]));
}

async function namesIn(range: Seen, named: Filters, signal: AbortSignal): Promise<Named[]> {
  const [{ data }, counts] = await Promise.all([
    chartOf(range, BY_NAME, named, signal),
    countsOf(range, named, signal),
  ]);
  return (data as Named[]).map((row) => ({ ...row, count: counts.get(row.label) ?? 0 }));
}

/** Data rejected at ingestion in the last 24 hours. */
export function useRefused() {
  return useQuery({
    queryKey: ['today', 'refused'],
    queryFn: ({ signal }) => api('GET /api/public/v2/ingest/refusals', { signal }),
  });
}

const OFTEN_MS = 2000;
/** Pause between looks for work that has begun elsewhere. */
const SELDOM_MS = 20_000;

/** Unfinished work of the server: exports, runs of evaluations, computations and imports of sheets. */
export function useRunning() {
  return useQuery({
    queryKey: ['today', 'running'],
    queryFn: async ({ signal }) => {
      const query = { status: 'active', limit: 20 } as const;
      const [exports, evaluations, operations, imports] = await Promise.all([
        api('GET /api/public/v2/exports', { query: { limit: 20 }, signal }),
        api('GET /api/public/v2/evaluations', { query: { include_runs: true, per_page: 20 }, signal }),
        api('GET /api/public/v2/sheet-operations', { query, signal }),
        api('GET /api/public/v2/sheet-imports', { query, signal }),
      ]);
      return {
        exports: exports.data.filter(({ status }) => status === 'queued' || status === 'running'),
        runs: evaluations.evaluations.flatMap(({ runs = [] }) => runs.filter(({ status }) => status === 'RUNNING')),
        operations: operations.data,
        imports: imports.data,
      };
    },
    refetchInterval: ({ state }) =>
      Object.values(state.data ?? {}).some((list) => list.length > 0) ? OFTEN_MS : SELDOM_MS,
  });
}
