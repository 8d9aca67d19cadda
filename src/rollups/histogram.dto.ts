import { ApiProperty } from '@nestjs/swagger';
import { ValidationProblem } from '../platform/errors/problem.js';
import { toTime } from '../platform/filters/values.js';
import { SuccessField } from '../platform/http/common-fields.js';
import { BooleanField, DateTimeField, IntegerField, NumberField } from '../platform/http/fields.js';
import { BodyMomentField } from '../platform/filters/moment-field.js';
import { shortIso } from '../platform/time.js';
import { TokensAndLatenciesBody } from './call-sums.dto.js';
import type { HistogramBuckets } from './histogram-buckets.js';
import { MOST_BUCKETS } from './histogram-range.js';
import type { AskedTime } from './histogram-time.js';
import { type HistogramTime, isoOf } from './read-histogram.js';
import { microsecondsOf } from './required-times.js';

export const HISTOGRAM_RULES =
  'Buckets are 1, 5, 15 or 30 seconds or minutes, 1, 3, 6 or 12 hours, or 1, 2, 5, 10, 20, 50… days wide: the smallest width with which ' +
  '`buckets` of them cover the range. They begin at whole multiples of it in UTC. Ranges of more than six hours have buckets of an hour ' +
  'or more, because whole hours are added up beforehand. Counts, tokens and costs are exact and include everything that is stored; ' +
  'percentiles are at most 2 % off.';

export interface AskedTimeBody {
  start_time?: unknown;
  end_time?: unknown;
  buckets?: number | null;
}

/** The three fields that say which time a histogram is about. */
export const HistogramStartField = (): PropertyDecorator =>
  BodyMomentField({
    description:
      'The start of the range: ISO 8601, or seconds or milliseconds since the epoch. Default: the limit of the filters, otherwise the earliest item.',
    example: '2026-03-01T00:00:00Z',
  });

export const HistogramEndField = (): PropertyDecorator =>
  BodyMomentField({
    description:
      'The end of the range, exclusive; a date alone includes the whole day. Default: the limit of the filters, otherwise the latest item.',
    example: '2026-03-08T00:00:00Z',
  });

export const HistogramBucketsField = (): PropertyDecorator =>
  IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MOST_BUCKETS,
    default: MOST_BUCKETS,
    description: 'The largest number of buckets.',
  });

class HistogramBucketBody extends TokensAndLatenciesBody {
  @DateTimeField({
    description: 'The start of the bucket. The first bucket may begin before the range, but only counts what is in it.',
  })
  start_time: string;

  @IntegerField({ description: 'The number of request logs or traces that began in the bucket.' })
  count: number;

  @IntegerField({ description: 'How many of them have the status ERROR.' })
  failed: number;

  @IntegerField({
    description: 'How many of them have no complete cost, because a price or a token count is not known.',
  })
  unpriced: number;

  @NumberField({ description: 'The cost in US dollars, as far as it is known.' })
  cost: number;
}

export class HistogramResponse {
  @SuccessField()
  success: true;

  @DateTimeField({ nullable: true, description: 'The start of the range; null if it is empty.' })
  start_time: string | null;

  @DateTimeField({ nullable: true, description: 'The end of the range, exclusive; null if it is empty.' })
  end_time: string | null;

  @IntegerField({
    nullable: true,
    example: 3600,
    description: 'The width of a bucket in seconds; null if the range is empty.',
  })
  bucket_seconds: number | null;

  @BooleanField({
    description:
      'True when the time limit of searches (STATEMENT_TIMEOUT_MS) ended before everything was read: buckets before `counted_from` are then missing. Also true while many traces wait for search and the filters ask for more than times: these may not be counted yet.',
  })
  partial: boolean;

  @DateTimeField({
    nullable: true,
    description: 'From here on everything was read. It is `start_time` unless `partial` is true.',
  })
  counted_from: string | null;

  @ApiProperty({ type: () => [HistogramBucketBody], description: 'The buckets, oldest first, including empty ones.' })
  buckets: HistogramBucketBody[];
}

/** Counts of rows by buckets of time. */
export interface Histogram {
  time: HistogramTime;
  buckets: HistogramBuckets;
  /** Rows that match may be missing, as search has not read them yet. */
  isIncomplete: boolean;
}

/** Throws a 422 when the range ends before it begins. */
export function toAskedTime(
  { start_time: start, end_time: end, buckets = null }: AskedTimeBody,
  place: 'body' | 'query' = 'body',
): AskedTime {
  const [first, last] = [spanOf(start), spanOf(end)];
  const from = first && microsecondsOf(first.first);
  // A day ends with the day; a moment is the end itself.
  const to = last && (isDay(end) ? microsecondsOf(last.last) + 1n : microsecondsOf(last.first));
  if (from !== null && to !== null && from >= to) {
    const msg = 'end_time must be after start_time';
    throw new ValidationProblem([{ loc: [place, 'end_time'], msg, type: 'value_error' }]);
  }
  return { from, to, buckets };
}

const spanOf = (value: unknown) => (value === undefined || value === null ? null : toTime(value));
const isDay = (value: unknown): boolean => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value.trim());

const NOTHING: HistogramResponse = {
  success: true,
  start_time: null,
  end_time: null,
  bucket_seconds: null,
  partial: false,
  counted_from: null,
  buckets: [],
};

/** `histogram` is null when nothing was left of the range. */
export function toHistogramResponse(histogram: Histogram | null): HistogramResponse {
  if (!histogram) return NOTHING;
  const { time, buckets, isIncomplete } = histogram;
  return {
    success: true,
    start_time: iso(time.range.from),
    end_time: iso(time.range.to),
    bucket_seconds: Number(time.width / 1_000_000n),
    partial: buckets.isPartial || isIncomplete,
    counted_from: iso(buckets.countedFrom),
    buckets: buckets.list().map(({ start, inputTokens, outputTokens, p50, p95, ...sums }) => ({
      start_time: iso(start),
      ...sums,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      latency_p50_ms: p50,
      latency_p95_ms: p95,
    })),
  };
}

const iso = (microseconds: bigint): string => shortIso(isoOf(microseconds));
