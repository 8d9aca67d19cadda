import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { EnumField, IntegerField, NumberField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { LogQueryRequest, toLogQuery } from '../search/log-query.dto.js';
import { toSort } from '../search/search.dto.js';
import type { AnalyticsQuery } from './analytics.queries.js';

/** Which request logs are asked about. */
@Closed()
export class RequestAnalyticsRequest extends LogQueryRequest {}

/** Throws a 422 when only half of a sort order is given. */
export function toAnalyticsQuery(body: RequestAnalyticsRequest): AnalyticsQuery {
  toSort(body, 'body');
  // Forms send the empty text for a key that was not chosen.
  return { ...toLogQuery(body), metadataKey: body.metadata_cost_breakdown_key || null };
}

const COUNT = { type: 'integer', minimum: 0 } as const;
const SECONDS = { type: 'number', minimum: 0 } as const;

/** A list of [text, number]. */
function pairsOf(value: object): ApiPropertyOptions {
  const pair = { type: 'array', prefixItems: [{ type: 'string' }, value], minItems: 2, maxItems: 2 };
  return { type: 'array', items: pair } as ApiPropertyOptions;
}

/** An object with the names of models, prompts and so on for keys. */
function byName(description: string, value: object): PropertyDecorator {
  return ApiProperty({ type: 'object', additionalProperties: value, description } as ApiPropertyOptions);
}

const LATENCIES = ['average_latency', 'p50_latency', 'p90_latency', 'p95_latency'];

/** The four latencies, each in the given form. */
function latencies(value: object): ApiPropertyOptions {
  return {
    type: 'object',
    properties: Object.fromEntries(LATENCIES.map((key) => [key, value])),
    required: LATENCIES,
  } as ApiPropertyOptions;
}

const COUNTS_BY_DAY = pairsOf(COUNT);
const LATENCY_LINES = latencies(pairsOf(SECONDS));

const UnpricedField = () =>
  IntegerField({
    description:
      'How many requests have no price, because the price of the model or the number of tokens is not known.',
  });

export type Pairs = [name: string, value: number][];
export interface Latencies<T> {
  average_latency: T;
  p50_latency: T;
  p90_latency: T;
  p95_latency: T;
}

class ChartInterval {
  @EnumField(['second', 'minute', 'hour', 'day'])
  interval: 'second' | 'minute' | 'hour' | 'day';

  @IntegerField({ example: 86_400_000 })
  bucketSizeMs: number;

  @IntegerField({ nullable: true, description: 'How many minutes a bucket has, when buckets are minutes.' })
  bucketMinutes: number | null;
}

class StatusCounts {
  @IntegerField()
  SUCCESS: number;

  @IntegerField()
  WARNING: number;

  @IntegerField()
  ERROR: number;
}

class OutputShapeCounts {
  @IntegerField()
  json: number;

  @IntegerField()
  toolCall: number;

  @IntegerField()
  plainText: number;
}

export class BucketStats {
  @TextField({ example: '2026-03-15', description: 'The start of the bucket: a day, or a moment for shorter buckets.' })
  date: string;

  @TextField({ example: 'Mar 15' })
  dateLabel: string;

  @IntegerField()
  requests: number;

  @IntegerField({ description: 'Input and output tokens together.' })
  tokens: number;

  @IntegerField()
  inputTokens: number;

  @IntegerField()
  outputTokens: number;

  @NumberField({ description: 'US dollars. Requests without a price do not count.' })
  cost: number;

  @UnpricedField()
  unpricedRequests: number;

  @NumberField({ description: 'The average in seconds; 0 when there are no requests.' })
  latency: number;

  @IntegerField()
  cachedTokens: number;

  @IntegerField()
  thinkingTokens: number;

  @NumberField({ description: 'Share of the requests that belong to a trace, 0 to 1.' })
  traceShare: number;

  @ApiProperty({ type: () => StatusCounts })
  statusCounts: StatusCounts;

  @ApiProperty({ type: () => OutputShapeCounts })
  outputShapeCounts: OutputShapeCounts;

  @NumberField()
  avgTurnCount: number;

  @NumberField()
  avgToolCallCount: number;

  @NumberField({ nullable: true, description: 'The 95th percentile; null when there are no requests.' })
  toolCallCountP95: number | null;
}

class MostUsedPrompt {
  @TextField({ example: '17' })
  promptId: string;

  @IntegerField()
  requests: number;

  @TextField({ nullable: true, description: 'Null when the prompt was deleted.' })
  promptName: string | null;
}

class ErrorTypeCount {
  @TextField({ example: 'timeout' })
  errorType: string;

  @IntegerField()
  requests: number;
}

class Breakdown {
  @IntegerField()
  requests: number;

  @NumberField({ description: 'US dollars. Requests without a price do not count.' })
  cost: number;

  @UnpricedField()
  unpricedRequests: number;

  @IntegerField({ description: 'Input and output tokens together.' })
  tokens: number;

  @IntegerField()
  inputTokens: number;

  @IntegerField()
  outputTokens: number;
}

class ProviderBreakdown extends Breakdown {
  @TextField({ example: 'openai' })
  provider: string;
}

class PromptBreakdown extends Breakdown {
  @TextField({ example: '17' })
  promptId: string;
}

class TagBreakdown extends Breakdown {
  @TextField({ example: 'beta' })
  tag: string;
}

class KeyCount {
  @TextField({ example: 'user_id' })
  key: string;

  @IntegerField()
  requests: number;
}

class ToolLatency {
  @TextField({ example: 'search' })
  toolName: string;

  @IntegerField({ description: 'Requests whose answer calls the tool.' })
  requests: number;

  @NumberField({ nullable: true, description: 'Null when no span of the tool is known.' })
  avgLatencySeconds: number | null;

  @NumberField({ nullable: true })
  minLatencySeconds: number | null;

  @NumberField({ nullable: true })
  maxLatencySeconds: number | null;
}

class ToolUsage {
  @TextField({ example: 'search' })
  name: string;

  @IntegerField()
  requests: number;
}

class MetadataValueCost {
  @TextField({ example: 'user_id' })
  key: string;

  @TextField({ example: '7' })
  value: string;

  @TextField({ example: 'user_id = 7', description: 'The value alone when one key was asked for.' })
  label: string;

  @IntegerField()
  requests: number;

  @NumberField({ description: 'US dollars. Requests without a price do not count.' })
  cost: number;

  @UnpricedField()
  unpricedRequests: number;
}

/** Lists hold the 50 names with the most requests, lines by day the 25 (5 at least when there are thousands of days). */
export class RequestAnalyticsResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({
    type: () => ChartInterval,
    description:
      'The smallest of 1, 5, 15, 30 seconds, 1, 5, 15, 30 minutes, 1, 3, 6, 12 hours and a day that gives up to 100 buckets.',
  })
  chartInterval: ChartInterval;

  @NumberField({ description: 'Seconds; 0 when there are no requests.' })
  averageLatency: number;

  @NumberField({ description: 'US dollars. Requests without a price do not count.' })
  totalCost: number;

  @UnpricedField()
  totalUnpricedRequests: number;

  @IntegerField()
  totalTokens: number;

  @IntegerField()
  totalRequests: number;

  @IntegerField()
  totalCachedTokens: number;

  @IntegerField()
  totalThinkingTokens: number;

  @NumberField({
    nullable: true,
    description: 'The share of the input tokens that were cached, 0 to 1; null when there are no input tokens.',
  })
  cacheTokenRatio: number | null;

  @ApiProperty({
    type: () => [BucketStats],
    description:
      'One item per bucket, the oldest first, empty buckets included. Where the filters do not limit the time, the first or the last request does.',
  })
  stats: BucketStats[];

  @ApiProperty({ ...pairsOf(COUNT), description: '[model, requests], the most used first.' })
  mostUsedModels: Pairs;

  @byName('[date, requests] per model.', COUNTS_BY_DAY)
  modelRequestsByDay: Record<string, Pairs>;

  @byName('[date, requests] per id of a prompt.', COUNTS_BY_DAY)
  promptTemplateRequestsByDay: Record<string, Pairs>;

  @byName('[date, requests] per provider.', COUNTS_BY_DAY)
  providerRequestsByDay: Record<string, Pairs>;

  @ApiProperty({ type: () => [MostUsedPrompt] })
  mostUsedPromptTemplates: MostUsedPrompt[];

  @ApiProperty({
    ...latencies({ type: 'object', additionalProperties: SECONDS }),
    description: 'Seconds by date; without the buckets that have no requests.',
  })
  latency: Latencies<Record<string, number>>;

  @byName('[date, seconds] per model.', LATENCY_LINES)
  latencyByModelByDay: Record<string, Latencies<Pairs>>;

  @byName('[date, seconds] per id of a prompt.', LATENCY_LINES)
  latencyByPromptTemplateByDay: Record<string, Latencies<Pairs>>;

  @byName('[date, seconds] per provider.', LATENCY_LINES)
  latencyByProviderByDay: Record<string, Latencies<Pairs>>;

  @ApiProperty({ type: () => [ErrorTypeCount] })
  errorTypes: ErrorTypeCount[];

  @ApiProperty({ type: () => [ProviderBreakdown] })
  providerBreakdown: ProviderBreakdown[];

  @ApiProperty({ type: () => [PromptBreakdown] })
  promptBreakdown: PromptBreakdown[];

  @ApiProperty({ type: () => [TagBreakdown] })
  tagsBreakdown: TagBreakdown[];

  @ApiProperty({ type: () => [KeyCount] })
  metadataKeysTop: KeyCount[];

  @ApiProperty({ type: () => [KeyCount] })
  outputKeysTop: KeyCount[];

  @ApiProperty({
    type: () => [ToolLatency],
    description:
      'How long the tools took, by the spans named after them in the traces of the newest 10,000 requests that call one.',
  })
  toolsLatency: ToolLatency[];

  @ApiProperty({ type: () => [ToolUsage] })
  toolsUsageBars: ToolUsage[];

  @ApiProperty({ type: () => [MetadataValueCost], description: 'The 50 values that cost the most.' })
  metadataValueBreakdown: MetadataValueCost[];
}
