import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { DateTimeField, EnumField, IntegerField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { REFUSED } from './ingest-refusal.entity.js';

/** 30 days. */
const MOST_HOURS = 720;
export const DEFAULT_HOURS = 24;

@Closed()
export class RefusalsQuery {
  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MOST_HOURS,
    default: DEFAULT_HOURS,
    description:
      'How far to look back. Whole hours are counted, so it may be up to an hour more: `since` says from when on.',
    example: 24,
  })
  hours?: number;
}

export class RefusalBody {
  @EnumField(REFUSED, {
    description:
      '`request`: a whole request was answered with an error. `span`: single spans of a request were not stored.',
  })
  what: (typeof REFUSED)[number];

  @TextField({
    description: 'The error code of the request, or the reason that receipts give for the span.',
    example: 'body_too_large',
  })
  reason: string;

  @IntegerField({ description: 'The number of requests or spans.' })
  count: number;

  @DateTimeField({ description: 'When it last happened.' })
  last_at: string;
}

export class RefusalsResponse {
  @SuccessField()
  success: true;

  @DateTimeField({ description: 'From when on it was counted: the start of the first whole hour.' })
  since: string;

  @ApiProperty({ type: () => [RefusalBody], description: 'The reasons, most frequent first.' })
  data: RefusalBody[];
}
