import { ApiProperty } from '@nestjs/swagger';
import { CreatedAtField, SuccessField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { BodyMomentField } from '../platform/filters/moment-field.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import { type Repricing, REPRICING_STATUSES, type RepricingStatus } from './repricing.entity.js';

@Closed()
export class ListRepricingsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

@Closed()
export class CreateRepricingRequest {
  @TextField({
    minLength: 1,
    maxLength: 100,
    description: 'The provider for which the price was set.',
    example: 'ollama',
  })
  provider: string;

  @TextField({
    minLength: 1,
    maxLength: 200,
    description: 'The model for which the price was set.',
    example: 'llama-4-support',
  })
  model: string;

  @BodyMomentField({
    description: 'Calls that started before this time get no price. Default: all stored calls.',
    example: '2026-11-01T00:00:00Z',
  })
  since?: string | number | null;

  @BooleanField({
    optional: true,
    default: false,
    description: 'Count the calls and what they cost; nothing is changed.',
    example: true,
  })
  dry_run?: boolean;
}

export class RepricingBody {
  @UuidField({ description: 'The id of the repricing.' })
  id: string;

  @TextField({ description: 'The provider of the calls.' })
  provider: string;

  @TextField({ description: 'The model of the calls.' })
  model: string;

  @DateTimeField({ nullable: true, description: 'Null for all calls that are stored.' })
  since: string | null;

  @BooleanField({ description: 'Whether calls are only counted.' })
  dry_run: boolean;

  @EnumField(REPRICING_STATUSES, { description: 'Progress. The figures grow until it has ended.' })
  status: RepricingStatus;

  @IntegerField({ description: 'Calls that have a price now, or would have one, so far.' })
  priced_count: number;

  @IntegerField({
    description:
      'Calls of the model that stay without a price: they report no tokens, or it is not known whether cached tokens are part of their input.',
  })
  left_count: number;

  @NumberField({ description: 'US dollars of the calls that were priced.' })
  cost: number;

  @TextField({ nullable: true, description: 'Why it failed; null when it did not.' })
  error_message: string | null;

  @IntegerField({ nullable: true, description: 'The API key that asked for it; null for the operator.' })
  created_by: number | null;

  @CreatedAtField('the repricing')
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When it ended, in UTC; null while it goes on.' })
  finished_at: string | null;
}

export class RepricingResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => RepricingBody, description: 'The repricing that was started.' })
  repricing: RepricingBody;
}

export class RepricingsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [RepricingBody], description: 'The repricings of the page.' })
  data: RepricingBody[];
}

export function toRepricingBody(repricing: Repricing): RepricingBody {
  const { id, provider, model, since, dryRun, status, pricedCount, leftCount, cost } = repricing;
  return {
    id,
    provider,
    model,
    since: since?.toISOString() ?? null,
    dry_run: dryRun,
    status,
    priced_count: pricedCount,
    left_count: leftCount,
    cost,
    error_message: repricing.errorMessage,
    created_by: repricing.createdBy,
    created_at: repricing.createdAt.toISOString(),
    finished_at: repricing.finishedAt?.toISOString() ?? null,
  };
}
