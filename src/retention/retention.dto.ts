import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { DateTimeField, IntegerField } from '../platform/http/fields.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { isoFromNanoseconds } from '../platform/time.js';
import type { Expiring, Limits } from './retention.service.js';
import type { RetentionPolicy } from './retention-policy.entity.js';

/** A hundred years. */
const MOST_DAYS = 36_500;

const DaysField = (what: string, optional = false) =>
  IntegerField({
    nullable: true,
    optional,
    min: 1,
    max: MOST_DAYS,
    example: 3650,
    description: `Days for which ${what}. null: they never expire.`,
  });

const TRACES = 'traces are kept, from the end of their last span';
const LOGS = 'request logs are kept, from the start of the call';

@Closed()
export class RetentionRequest {
  @DaysField(TRACES)
  traces_days: number | null;

  @DaysField(LOGS)
  request_logs_days: number | null;
}

/** Limits to try. Missing ones are taken from the limits in force. */
@Closed()
export class RetentionDryRunRequest {
  @DaysField(TRACES, true)
  traces_days?: number | null;

  @DaysField(LOGS, true)
  request_logs_days?: number | null;
}

class RetentionBody extends RetentionRequest {
  @DateTimeField({ nullable: true, description: 'When the limits were last set; null if they never were.' })
  updated_at: string | null;
}

export class RetentionResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => RetentionBody, description: 'The limits in force.' })
  retention: RetentionBody;
}

class ExpiringBody {
  @IntegerField({ description: 'Number of these items.' })
  count: number;

  @DateTimeField({ nullable: true, description: 'The start of the oldest one; null when there are none.' })
  oldest: string | null;

  @DateTimeField({
    nullable: true,
    description: 'The start of the newest one that would be deleted; null when there are none.',
  })
  newest: string | null;
}

class ExpiringTracesBody extends ExpiringBody {
  @IntegerField({ description: 'The number of spans in these traces.' })
  spans: number;
}

export class RetentionDryRunResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => RetentionRequest, description: 'The limits that were tried.' })
  limits: RetentionRequest;

  @ApiProperty({ type: () => ExpiringTracesBody, description: 'The traces that would be deleted.' })
  traces: ExpiringTracesBody;

  @ApiProperty({ type: () => ExpiringBody, description: 'The request logs that would be deleted.' })
  request_logs: ExpiringBody;
}

export function toRetentionResponse(policy: RetentionPolicy | null): RetentionResponse {
  const retention = {
    traces_days: policy?.tracesDays ?? null,
    request_logs_days: policy?.requestLogsDays ?? null,
    updated_at: policy?.updatedAt.toISOString() ?? null,
  };
  return { success: true, retention };
}

export function toDryRunResponse(limits: Limits, { traces, logs }: Expiring): RetentionDryRunResponse {
  return {
    success: true,
    limits: { traces_days: limits.tracesDays, request_logs_days: limits.requestLogsDays },
    traces: {
      count: traces.count,
      spans: traces.spans,
      oldest: traces.oldest === null ? null : isoFromNanoseconds(traces.oldest),
      newest: traces.newest === null ? null : isoFromNanoseconds(traces.newest),
    },
    request_logs: {
      count: logs.count,
      oldest: logs.oldest?.toISOString() ?? null,
      newest: logs.newest?.toISOString() ?? null,
    },
  };
}
