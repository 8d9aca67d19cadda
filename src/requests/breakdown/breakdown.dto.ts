import { ApiProperty } from '@nestjs/swagger';
import { OriginChoiceField, originsOf } from '../../llm/records/origin-fields.js';
import { InputTokensField, OutputTokensField } from '../../platform/http/common-fields.js';
import { DateTimeField, EnumField, IntegerField, NumberField, TextField } from '../../platform/http/fields.js';
import { LimitField, listEnvelope, ListEnvelope } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { type BreakdownAsked, BREAKDOWN_KINDS, type BreakdownKind, type FoundGroup } from './breakdown.service.js';

const MOST_DAYS = 3650;

@Closed()
export class BreakdownQuery {
  @EnumField(BREAKDOWN_KINDS, {
    optional: true,
    query: true,
    default: 'model',
    description:
      'By what request logs are grouped. A log with several tags is in several groups; `prompt_version` groups by prompt and version.',
    example: 'model',
  })
  by?: BreakdownKind;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MOST_DAYS,
    description:
      'How far to look back. Whole hours are counted, so it may be up to an hour more: `since` says from when on. Default: all time.',
    example: 7,
  })
  days?: number;

  @LimitField(20)
  limit?: number;

  @OriginChoiceField('calls')
  origin?: string;
}

export class BreakdownGroupBody {
  @TextField({
    description: 'The model, user, tag and so on. For prompts the id; for versions the id, a colon and the number.',
    example: 'gpt-4o',
  })
  value: string;

  @TextField({ description: 'The value as people know it: prompts have their names.', example: 'gpt-4o' })
  label: string;

  @IntegerField({ description: 'The number of request logs of the group.' })
  request_count: number;

  @IntegerField({ description: 'How many of them have the status ERROR.' })
  error_count: number;

  @IntegerField({ description: 'The number of calls without a known price.' })
  unpriced_request_count: number;

  @NumberField({ description: 'The cost in US dollars, as far as it is known.' })
  total_cost_usd: number;

  @InputTokensField()
  input_tokens: number;

  @OutputTokensField()
  output_tokens: number;

  @NumberField({
    nullable: true,
    description: 'The median latency in milliseconds, at most 2 % off; null when none is known.',
  })
  latency_p50_ms: number | null;

  @NumberField({
    nullable: true,
    description: 'The 95th percentile of the latency in milliseconds, at most 2 % off; null if none is known.',
  })
  latency_p95_ms: number | null;
}

export class BreakdownResponse extends ListEnvelope {
  @DateTimeField({ nullable: true, description: 'From when on calls were counted; null for all time.' })
  since: string | null;

  @ApiProperty({ type: () => [BreakdownGroupBody], description: 'The groups with the most calls first.' })
  data: BreakdownGroupBody[];
}

export const toBreakdownAsked = ({ by = 'model', days, limit = 20, origin }: BreakdownQuery): BreakdownAsked => ({
  by,
  days: days ?? null,
  limit,
  origins: originsOf(origin),
});

export function toBreakdownResponse(
  { limit = 20, ...filters }: BreakdownQuery,
  { since, groups }: { since: Date | null; groups: FoundGroup[] },
): BreakdownResponse {
  const envelope = listEnvelope({ count: groups.length, limit, nextCursor: null, filters });
  return { ...envelope, since: since?.toISOString() ?? null, data: groups.map(toGroupBody) };
}

function toGroupBody({ value, label, calls }: FoundGroup): BreakdownGroupBody {
  const { count, failed, unpriced, cost, inputTokens, outputTokens, p50, p95 } = calls.toNumbers();
  return {
    value,
    label,
    request_count: count,
    error_count: failed,
    unpriced_request_count: unpriced,
    total_cost_usd: cost,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    latency_p50_ms: p50,
    latency_p95_ms: p95,
  };
}
