import { bucketKey, bucketLabel, type BucketSize, bucketStarts, DAILY, SIZES_BELOW_DAY } from '../../charts/index.js';
import type { BucketStats, Latencies, Pairs, RequestAnalyticsResponse } from './analytics.dto.js';
import type {
  AnalyticsRows,
  BucketRow,
  Dimension,
  EntryKind,
  EntryRow,
  LineRow,
  MetadataValueRow,
} from './analytics.queries.js';

/** The rows of a query, with the names of their prompts. `metadataKey` is the requested key. */
export interface Analytics {
  rows: AnalyticsRows;
  promptNames: Map<number, string>;
  metadataKey: string | null;
}

const NO_BUCKET: BucketRow = {
  bucket: 0,
  requests: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  thinking_tokens: 0,
  cost: 0,
  unpriced: 0,
  seconds: 0,
  traced: 0,
  successes: 0,
  warnings: 0,
  errors: 0,
  plain_texts: 0,
  json_objects: 0,
  tool_calls: 0,
  average_turns: 0,
  average_tool_calls: 0,
  tool_calls_p95: 0,
};

export function toAnalyticsResponse({ rows, promptNames, metadataKey }: Analytics): RequestAnalyticsResponse {
  const size = sizeOf(rows.extent);
  const entries = (kind: EntryKind) => (rows.entries ?? []).filter((entry) => entry.kind === kind);
  return {
    success: true,
    chartInterval: { interval: size.unit, bucketSizeMs: size.ms, bucketMinutes: size.minutes },
    ...totals(rows.buckets ?? []),
    stats: stats(rows, size),
    mostUsedModels: entries('model').map(({ name, requests }) => [name, requests]),
    ...charts(rows.lines ?? [], size),
    mostUsedPromptTemplates: entries('prompt').map(({ name, requests }) => ({
      promptId: name,
      requests,
      promptName: promptNames.get(Number(name)) ?? null,
    })),
    errorTypes: entries('error').map(({ name, requests }) => ({ errorType: name, requests })),
    providerBreakdown: entries('provider').map((entry) => ({ provider: entry.name, ...breakdown(entry) })),
    promptBreakdown: entries('prompt').map((entry) => ({ promptId: entry.name, ...breakdown(entry) })),
    tagsBreakdown: entries('tag').map((entry) => ({ tag: entry.name, ...breakdown(entry) })),
    metadataKeysTop: entries('metadata_key').map(({ name, requests }) => ({ key: name, requests })),
    outputKeysTop: entries('output_key').map(({ name, requests }) => ({ key: name, requests })),
    toolsLatency: toolsLatency(entries('tool'), rows.tool_spans ?? []),
    toolsUsageBars: entries('tool').map(({ name, requests }) => ({ name, requests })),
    metadataValueBreakdown: (rows.metadata_values ?? []).map((row) => metadataCost(row, metadataKey)),
  };
}

function sizeOf({ bucket_seconds: seconds }: AnalyticsRows['extent']): BucketSize {
  return SIZES_BELOW_DAY.find((size) => size.ms === seconds * 1000) ?? DAILY;
}

function totals(buckets: BucketRow[]) {
  const sum = (column: keyof BucketRow) => buckets.reduce((total, row) => total + row[column], 0);
  const [requests, input, cached] = [sum('requests'), sum('input_tokens'), sum('cached_tokens')];
  return {
    averageLatency: requests === 0 ? 0 : seconds(sum('seconds') / requests),
    totalCost: dollars(sum('cost')),
    totalUnpricedRequests: sum('unpriced'),
    totalTokens: input + sum('output_tokens'),
    totalRequests: requests,
    totalCachedTokens: cached,
    totalThinkingTokens: sum('thinking_tokens'),
    cacheTokenRatio: input === 0 ? null : cached / input,
  };
}

function stats({ extent, buckets }: AnalyticsRows, size: BucketSize): BucketStats[] {
  if (extent.first === null || extent.last === null) return [];
  const byStart = new Map((buckets ?? []).map((row) => [row.bucket * size.ms, row]));
  const starts = bucketStarts(extent.first * 1000, extent.last * 1000, size, byStart.keys());
  return starts.map((start) => ({
    date: bucketKey(start, size),
    dateLabel: bucketLabel(start, size),
    ...bucketStats(byStart.get(start) ?? NO_BUCKET),
  }));
}

function bucketStats(row: BucketRow): Omit<BucketStats, 'date' | 'dateLabel'> {
  const { requests } = row;
  return {
    requests,
    tokens: row.input_tokens + row.output_tokens,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cost: dollars(row.cost),
    unpricedRequests: row.unpriced,
    latency: requests === 0 ? 0 : seconds(row.seconds / requests),
    cachedTokens: row.cached_tokens,
    thinkingTokens: row.thinking_tokens,
    traceShare: requests === 0 ? 0 : row.traced / requests,
    statusCounts: { SUCCESS: row.successes, WARNING: row.warnings, ERROR: row.errors },
    outputShapeCounts: { json: row.json_objects, toolCall: row.tool_calls, plainText: row.plain_texts },
    avgTurnCount: row.average_turns,
    avgToolCallCount: row.average_tool_calls,
    toolCallCountP95: requests === 0 ? null : row.tool_calls_p95,
  };
}

function charts(lines: LineRow[], size: BucketSize) {
  const date = ({ bucket }: LineRow) => bucketKey(bucket * size.ms, size);
  const of = (kind: Dimension) => byName(lines.filter((line) => line.kind === kind));
  const counts = (kind: Dimension) => each(of(kind), (points) => points.map((row) => [date(row), row.requests]));
  const times = (kind: Dimension) =>
    each(of(kind), (points) => latencies<Pairs>((pick) => points.map((row) => [date(row), pick(row)])));
  const all = lines.filter((line) => line.kind === 'all');
  return {
    modelRequestsByDay: counts('model') as Record<string, Pairs>,
    promptTemplateRequestsByDay: counts('prompt') as Record<string, Pairs>,
    providerRequestsByDay: counts('provider') as Record<string, Pairs>,
    latency: latencies((pick) => Object.fromEntries(all.map((row) => [date(row), pick(row)]))),
    latencyByModelByDay: times('model'),
    latencyByPromptTemplateByDay: times('prompt'),
    latencyByProviderByDay: times('provider'),
  };
}

function latencies<T>(make: (pick: (row: LineRow) => number) => T): Latencies<T> {
  return {
    average_latency: make((row) => seconds(row.average)),
    p50_latency: make((row) => seconds(row.percentiles[0])),
    p90_latency: make((row) => seconds(row.percentiles[1])),
    p95_latency: make((row) => seconds(row.percentiles[2])),
  };
}

function byName(lines: LineRow[]): Map<string, LineRow[]> {
  const groups = new Map<string, LineRow[]>();
  for (const line of lines) {
    const group = groups.get(line.name!);
    if (group) group.push(line);
    else groups.set(line.name!, [line]);
  }
  return groups;
}

function each<T>(groups: Map<string, LineRow[]>, make: (points: LineRow[]) => T): Record<string, T> {
  return Object.fromEntries([...groups].map(([name, points]) => [name, make(points)]));
}

function breakdown({ requests, cost, unpriced, input_tokens: inputTokens, output_tokens: outputTokens }: EntryRow) {
  const tokens = inputTokens + outputTokens;
  return { requests, cost: dollars(cost), unpricedRequests: unpriced, tokens, inputTokens, outputTokens };
}

function toolsLatency(tools: EntryRow[], spans: NonNullable<AnalyticsRows['tool_spans']>) {
  const byTool = new Map(spans.map((row) => [row.name, row]));
  return tools.map(({ name, requests }) => {
    const known = byTool.get(name);
    return {
      toolName: name,
      requests,
      avgLatencySeconds: known ? seconds(known.average) : null,
      minLatencySeconds: known ? seconds(known.shortest) : null,
      maxLatencySeconds: known ? seconds(known.longest) : null,
    };
  });
}

function metadataCost({ key, value, requests, cost, unpriced }: MetadataValueRow, chosen: string | null) {
  const label = chosen === null ? `${key} = ${value}` : value;
  return { key, value, label, requests, cost: dollars(cost), unpricedRequests: unpriced };
}

/** Sums of fractions have rounding errors in their last digits. A token costs more than a ten-billionth of a dollar. */
const dollars = (amount: number): number => rounded(amount, 1e10);
/** Rounds to nanoseconds, the unit of spans. */
const seconds = (time: number): number => rounded(time, 1e9);

function rounded(value: number, parts: number): number {
  const scaled = value * parts;
  return Number.isSafeInteger(Math.round(scaled)) ? Math.round(scaled) / parts : value;
}
