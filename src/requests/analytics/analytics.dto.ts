import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  InputTokensField,
  OutputTokensField,
  SuccessField,
  TotalTokensField,
} from '../../platform/http/common-fields.js';
import { EnumField, IntegerField, NumberField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { LogQueryRequest, toLogQuery } from '../search/log-query.dto.js';
import { toSort } from '../search/search.dto.js';
import type { AnalyticsQuery } from './analytics.queries.js';
import { CostField } from '../shared/call-fields.js';

/** Selects request logs. */
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

const LATENCIES = {
  average_latency: 'The mean latency.',
  p50_latency: 'The median latency.',
  p90_latency: 'The 90th percentile: nine of ten requests take no longer.',
  p95_latency: 'The 95th percentile: 19 of 20 requests take no longer.',
};

/** The four latencies, each in the given form. */
function latencies(value: object): ApiPropertyOptions {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(LATENCIES).map(([key, description]) => [key, { ...value, description }]),
    ),
    required: Object.keys(LATENCIES),
  } as ApiPropertyOptions;
}

const COUNTS_BY_DAY = pairsOf(COUNT);
const LATENCY_LINES = latencies(pairsOf(SECONDS));

const UnpricedField = () =>
  IntegerField({
    description:
      'The number of requests without a price, because the price of the model or a token count is not known.',
  });

export type Pairs = [name: string, value: number][];
export interface Latencies<T> {
  average_latency: T;
  p50_latency: T;
  p90_latency: T;
  p95_latency: T;
}

class ChartInterval {
  @EnumField(['second', 'minute', 'hour', 'day'], { description: 'The unit of the width of the buckets.' })
  interval: 'second' | 'minute' | 'hour' | 'day';

  @IntegerField({ description: 'The width of a bucket in milliseconds.', example: 86_400_000 })
  bucketSizeMs: number;

  @IntegerField({
    nullable: true,
    description: 'The width of a bucket in minutes; null unless `interval` is `minute`.',
  })
  bucketMinutes: number | null;
}

class StatusCounts {
  @IntegerField({ description: 'Requests that succeeded.' })
  SUCCESS: number;

  @IntegerField({ description: 'Requests that succeeded with a problem, such as a partial answer.' })
  WARNING: number;

  @IntegerField({ description: 'Requests that failed.' })
  ERROR: number;
}

class OutputShapeCounts {
  @IntegerField({ description: 'Requests whose answer has a JSON object.' })
  json: number;

  @IntegerField({ description: 'Requests whose answer calls a tool.' })
  toolCall: number;

  @IntegerField({ description: 'Requests whose answer is neither JSON nor a tool call.' })
  plainText: number;
}

export class BucketStats {
  @TextField({
    example: '2026-03-15',
    description: 'The start of the bucket: a date for buckets of a day, otherwise a time.',
  })
  date: string;

  @TextField({ description: 'The start of the bucket as a label for an axis.', example: 'Mar 15' })
  dateLabel: string;

  @IntegerField({ description: 'How many requests started in the bucket.' })
  requests: number;

  @TotalTokensField()
  tokens: number;

  @InputTokensField()
  inputTokens: number;

  @OutputTokensField()
  outputTokens: number;

  @CostField()
  cost: number;

  @UnpricedField()
  unpricedRequests: number;

  @NumberField({ description: 'The average latency in seconds; 0 if there are no requests.' })
  latency: number;

  @IntegerField({ description: 'Tokens that were read from a prompt cache.' })
  cachedTokens: number;

  @IntegerField({ description: 'Tokens that models used for reasoning. They are part of `outputTokens`.' })
  thinkingTokens: number;

  @NumberField({ description: 'The share of requests that belong to a trace, from 0 to 1.' })
  traceShare: number;

  @ApiProperty({ type: () => StatusCounts, description: 'The requests of the bucket by status.' })
  statusCounts: StatusCounts;

  @ApiProperty({ type: () => OutputShapeCounts, description: 'The requests of the bucket by what their answer is.' })
  outputShapeCounts: OutputShapeCounts;

  @NumberField({
    description: 'How many turns the conversation of a request has on average; 0 when there are no requests.',
  })
  avgTurnCount: number;

  @NumberField({
    description: 'How many tool calls the conversation of a request has on average; 0 when there are no requests.',
  })
  avgToolCallCount: number;

  @NumberField({
    nullable: true,
    description: 'The 95th percentile of tool calls per request; null if there are no requests.',
  })
  toolCallCountP95: number | null;
}

class MostUsedPrompt {
  @TextField({ description: 'The id of the prompt, as a text.', example: '17' })
  promptId: string;

  @IntegerField({ description: 'How many requests called the prompt.' })
  requests: number;

  @TextField({ nullable: true, description: 'The name of the prompt; null if it was deleted.' })
  promptName: string | null;
}

class ErrorTypeCount {
  @TextField({ description: 'The `error_type` of the requests.', example: 'timeout' })
  errorType: string;

  @IntegerField({ description: 'How many requests have this type.' })
  requests: number;
}

class Breakdown {
  @IntegerField({ description: 'How many requests there are.' })
  requests: number;

  @CostField()
  cost: number;

  @UnpricedField()
  unpricedRequests: number;

  @TotalTokensField()
  tokens: number;

  @InputTokensField()
  inputTokens: number;

  @OutputTokensField()
  outputTokens: number;
}

class ProviderBreakdown extends Breakdown {
  @TextField({ description: 'The provider of the requests.', example: 'openai' })
  provider: string;
}

class PromptBreakdown extends Breakdown {
  @TextField({ description: 'The id of the prompt that the requests called, as a text.', example: '17' })
  promptId: string;
}

class TagBreakdown extends Breakdown {
  @TextField({ description: 'A tag of the requests. A request with several tags counts for each.', example: 'beta' })
  tag: string;
}

class KeyCount {
  @TextField({ description: 'The key of the metadata, or the path in the answer.', example: 'user_id' })
  key: string;

  @IntegerField({ description: 'How many requests have the key.' })
  requests: number;
}

class ToolLatency {
  @TextField({ description: 'The name of the tool.', example: 'search' })
  toolName: string;

  @IntegerField({ description: 'Requests whose answer calls the tool.' })
  requests: number;

  @NumberField({
    nullable: true,
    description: 'The average duration in seconds; null if no span of the tool is known.',
  })
  avgLatencySeconds: number | null;

  @NumberField({ nullable: true, description: 'The shortest time in seconds; null when no span of the tool is known.' })
  minLatencySeconds: number | null;

  @NumberField({ nullable: true, description: 'The longest time in seconds; null when no span of the tool is known.' })
  maxLatencySeconds: number | null;
}

class ToolUsage {
  @TextField({ description: 'The name of the tool.', example: 'search' })
  name: string;

  @IntegerField({ description: 'Requests whose answer calls the tool.' })
  requests: number;
}

class MetadataValueCost {
  @TextField({ description: 'The key in the metadata.', example: 'user_id' })
  key: string;

  @TextField({ description: 'The value of the key.', example: '7' })
  value: string;

  @TextField({
    example: 'user_id = 7',
    description: 'The key and the value for display, or the value alone if one key was requested.',
  })
  label: string;

  @IntegerField({ description: 'How many requests have the value.' })
  requests: number;

  @CostField()
  cost: number;

  @UnpricedField()
  unpricedRequests: number;
}

/** Lists hold the 50 names with the most requests, lines by day the 25 (5 at least when there are thousands of days). */
export class RequestAnalyticsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => ChartInterval,
    description:
      'The width of the buckets: the smallest of 1, 5, 15 or 30 seconds or minutes, 1, 3, 6 or 12 hours, or a day that gives at most 100 buckets.',
  })
  chartInterval: ChartInterval;

  @NumberField({ description: 'The average latency in seconds; 0 if there are no requests.' })
  averageLatency: number;

  @CostField()
  totalCost: number;

  @UnpricedField()
  totalUnpricedRequests: number;

  @IntegerField({ description: 'Input and output tokens of all requests together.' })
  totalTokens: number;

  @IntegerField({ description: 'How many requests match.' })
  totalRequests: number;

  @IntegerField({ description: 'Tokens that were read from a prompt cache.' })
  totalCachedTokens: number;

  @IntegerField({ description: 'Tokens that models used for reasoning. They are part of the output tokens.' })
  totalThinkingTokens: number;

  @NumberField({
    nullable: true,
    description: 'Cached tokens divided by input tokens; null if there are no input tokens.',
  })
  cacheTokenRatio: number | null;

  @ApiProperty({
    type: () => [BucketStats],
    description:
      'One item per bucket, oldest first, including empty buckets. If the filters do not limit the time, it runs from the first to the last request.',
  })
  stats: BucketStats[];

  @ApiProperty({ ...pairsOf(COUNT), description: 'Pairs of model and number of requests, most used first.' })
  mostUsedModels: Pairs;

  @byName('Pairs of date and number of requests, by model.', COUNTS_BY_DAY)
  modelRequestsByDay: Record<string, Pairs>;

  @byName('Pairs of date and number of requests, by prompt id.', COUNTS_BY_DAY)
  promptTemplateRequestsByDay: Record<string, Pairs>;

  @byName('Pairs of date and number of requests, by provider.', COUNTS_BY_DAY)
  providerRequestsByDay: Record<string, Pairs>;

  @ApiProperty({
    type: () => [MostUsedPrompt],
    description: 'The prompts with the most requests, the most used first.',
  })
  mostUsedPromptTemplates: MostUsedPrompt[];

  @ApiProperty({
    ...latencies({ type: 'object', additionalProperties: SECONDS }),
    description: 'Latencies in seconds by date, without buckets that have no requests.',
  })
  latency: Latencies<Record<string, number>>;

  @byName('Pairs of date and latency in seconds, by model.', LATENCY_LINES)
  latencyByModelByDay: Record<string, Latencies<Pairs>>;

  @byName('Pairs of date and latency in seconds, by prompt id.', LATENCY_LINES)
  latencyByPromptTemplateByDay: Record<string, Latencies<Pairs>>;

  @byName('Pairs of date and latency in seconds, by provider.', LATENCY_LINES)
  latencyByProviderByDay: Record<string, Latencies<Pairs>>;

  @ApiProperty({ type: () => [ErrorTypeCount], description: 'The types of errors, the most frequent first.' })
  errorTypes: ErrorTypeCount[];

  @ApiProperty({
    type: () => [ProviderBreakdown],
    description: 'Sums by provider, the one with the most requests first.',
  })
  providerBreakdown: ProviderBreakdown[];

  @ApiProperty({
    type: () => [PromptBreakdown],
    description: 'Sums by prompt, the one with the most requests first. Requests without a prompt are left out.',
  })
  promptBreakdown: PromptBreakdown[];

  @ApiProperty({ type: () => [TagBreakdown], description: 'Sums by tag, the one with the most requests first.' })
  tagsBreakdown: TagBreakdown[];

  @ApiProperty({ type: () => [KeyCount], description: 'The keys of the metadata, the most frequent first.' })
  metadataKeysTop: KeyCount[];

  @ApiProperty({
    type: () => [KeyCount],
    description: 'The paths in answers that are JSON or tool calls, the most frequent first.',
  })
  outputKeysTop: KeyCount[];

  @ApiProperty({
    type: () => [ToolLatency],
    description:
      'The duration of tools, measured by the spans named after them in the traces of the newest 10,000 requests that call a tool.',
  })
  toolsLatency: ToolLatency[];

  @ApiProperty({ type: () => [ToolUsage], description: 'The tools that answers call, the most used first.' })
  toolsUsageBars: ToolUsage[];

  @ApiProperty({ type: () => [MetadataValueCost], description: 'The 50 metadata values with the highest cost.' })
  metadataValueBreakdown: MetadataValueCost[];
}
