import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { BooleanField, IntegerField, NumberField, TextField } from '../../platform/http/fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { KnownModel } from './known-models.js';

@Closed()
export class KnownModelsQuery {
  @TextField({
    optional: true,
    query: true,
    minLength: 1,
    maxLength: 100,
    description: 'Only models of this provider, as the model of a prompt names it.',
    example: 'openai',
  })
  provider?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 200,
    description: 'Only models whose name contains this.',
    example: 'mini',
  })
  q?: string;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: 100,
    default: 100,
    description: 'The most models in the answer.',
  })
  limit?: number;
}

const RateField = (of: string) =>
  NumberField({
    nullable: true,
    description: `US dollars for a million tokens of ${of} today, of short inputs; null when it is not known.`,
    example: 0.4,
  });

class KnownModelBody {
  @TextField({ description: 'The provider of the model.', example: 'openai' })
  provider: string;

  @TextField({ description: 'The name of the model.', example: 'gpt-4.1-mini' })
  model: string;

  @RateField('the input')
  input_per_million_usd: number | null;

  @RateField('the output')
  output_per_million_usd: number | null;

  @IntegerField({ nullable: true, description: 'Tokens that fit its context; null when that is not known.' })
  context_window: number | null;

  @BooleanField({ description: 'Whether the workspace has set the price.' })
  is_own_price: boolean;
}

export class KnownModelsResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'The most models that the answer could have.' })
  limit: number;

  @ApiProperty({
    type: () => [KnownModelBody],
    description: 'Models with a price of the workspace first, then those of the table of public prices.',
  })
  models: KnownModelBody[];
}

export const toKnownModelBody = ({ provider, model, ...known }: KnownModel): KnownModelBody => ({
  provider,
  model,
  input_per_million_usd: known.inputRate,
  output_per_million_usd: known.outputRate,
  context_window: known.contextWindow,
  is_own_price: known.isOwn,
});
