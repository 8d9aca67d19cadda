import { ApiProperty } from '@nestjs/swagger';
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
      'request: a whole request was answered with an error. span: spans of a request were not stored, the others were.',
  })
  what: (typeof REFUSED)[number];

  @TextField({
    description: 'The code of the error, or why receipts say that spans were rejected.',
    example: 'body_too_large',
  })
  reason: string;

  @IntegerField({ description: 'How many requests, or spans.' })
  count: number;

  @DateTimeField({ description: 'When it happened last.' })
  last_at: string;
}

export class RefusalsResponse {
  @ApiProperty({ example: true })
  success: true;

  @DateTimeField()
  since: string;

  @ApiProperty({ type: () => [RefusalBody], description: 'The most frequent first.' })
  data: RefusalBody[];
}
