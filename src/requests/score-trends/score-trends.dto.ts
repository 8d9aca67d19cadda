import { ApiProperty } from '@nestjs/swagger';
import { OriginChoiceField, originsOf } from '../../llm/records/origin-fields.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { LimitField } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { BREAKDOWN_KINDS, type BreakdownKind } from '../breakdown/group-facets.js';
import { GroupLabelField, GroupValueField } from '../shared/call-fields.js';
import type { ScoreSums } from './score-trends.queries.js';
import type { ScoreTrend, ScoreTrendAsked } from './score-trends.service.js';

const MOST_DAYS = 3650;
const WEEK = 7;

@Closed()
export class ScoreTrendQuery {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: 255,
    description: 'The name of the score. `GET …/requests/scores` lists the names.',
    example: 'default',
  })
  name: string;

  @EnumField(BREAKDOWN_KINDS, {
    optional: true,
    query: true,
    default: 'model',
    description: 'How the scores are grouped. A log with several tags is in several groups.',
    example: 'model',
  })
  by?: BreakdownKind;

  @TextField({
    optional: true,
    query: true,
    minLength: 1,
    maxLength: 1000,
    description: 'The `value` of a group: `buckets` then hold only its scores. `groups` stay complete.',
    example: 'gpt-4o',
  })
  value?: string;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MOST_DAYS,
    default: WEEK,
    description: 'How far to look back. Whole buckets are counted: `since` says from when on.',
    example: WEEK,
  })
  days?: number;

  @LimitField(20)
  limit?: number;

  @OriginChoiceField('scores of calls')
  origin?: string;

  @TextField({
    optional: true,
    query: true,
    minLength: 1,
    maxLength: 255,
    description: 'Only scores of calls in this environment count.',
    example: 'production',
  })
  environment?: string;
}

class ScoreSumsBody {
  @IntegerField({ description: 'Number of scores.', example: 12 })
  count: number;

  @NumberField({ description: 'Mean of the scores, 0 to 100.', example: 87.5 })
  mean: number;
}

export class ScoreBucketBody extends ScoreSumsBody {
  @DateTimeField({ description: 'The beginning of the bucket. Buckets without scores are left out.' })
  start_time: string;
}

export class ScoreGroupBody extends ScoreSumsBody {
  @GroupValueField()
  value: string;

  @GroupLabelField()
  label: string;
}

export class ScoreTrendResponse {
  @SuccessField()
  success: boolean;

  @DateTimeField({ description: 'From when on scores were counted, by the start of the call.' })
  since: string;

  @IntegerField({ description: 'Length of a bucket, in seconds.', example: 7200 })
  bucket_seconds: number;

  @ApiProperty({ type: () => [ScoreBucketBody], description: 'The scores over time, the oldest first.' })
  buckets: ScoreBucketBody[];

  @ApiProperty({ type: () => [ScoreGroupBody], description: 'The groups with the most scores first.' })
  groups: ScoreGroupBody[];
}

export class ScoreNamesResponse {
  @SuccessField()
  success: boolean;

  @ListField('string', {
    description: 'The names of all scores of request logs, in order; at most 200.',
    example: ['default'],
  })
  names: string[];
}

export const toScoreTrendAsked = (query: ScoreTrendQuery): ScoreTrendAsked => ({
  name: query.name,
  by: query.by ?? 'model',
  value: query.value ?? null,
  days: query.days ?? WEEK,
  limit: query.limit ?? 20,
  origins: originsOf(query.origin),
  environment: query.environment ?? null,
});

export function toScoreTrendResponse({ since, bucketSeconds, buckets, groups }: ScoreTrend): ScoreTrendResponse {
  return {
    success: true,
    since: since.toISOString(),
    bucket_seconds: bucketSeconds,
    buckets: buckets.map(({ at, ...sums }) => ({ start_time: at.toISOString(), ...sumsBody(sums) })),
    groups: groups.map(({ value, label, ...sums }) => ({ value, label, ...sumsBody(sums) })),
  };
}

const sumsBody = ({ count, mean }: ScoreSums): ScoreSumsBody => ({ count, mean: Number(mean.toFixed(4)) });
