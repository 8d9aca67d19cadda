import { ApiProperty } from '@nestjs/swagger';
import { SuccessField, UpdatedAtField } from '../../platform/http/common-fields.js';
import { BooleanField, DateTimeField, NumberField, TextField } from '../../platform/http/fields.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { publicPriceOf } from './built-in-prices.js';
import { MAX_MODEL_NAME } from '../../llm/model-names.js';
import type { ModelPrice } from './model-price.entity.js';
import { PACKAGE, type PriceSource } from './price-file.js';
import type { CustomRates } from './model-prices.service.js';

const MAX_PROVIDER_NAME = 100;
/** A dollar for each token. */
const HIGHEST_RATE = 1_000_000;

const ProviderField = (query = false) =>
  TextField({
    minLength: 1,
    maxLength: MAX_PROVIDER_NAME,
    description: 'The name that request logs show. Letter case does not matter.',
    example: 'ollama',
    query,
  });

const ModelField = (query = false) =>
  TextField({
    minLength: 1,
    maxLength: MAX_MODEL_NAME,
    description:
      'The name that request logs show. Letter case does not matter. Names with a vendor in front, or with `-latest` or a whole date behind, count as the same model. A preview (`-preview`) and a short date (`-0613`) name another model.',
    example: 'llama-4-support',
    query,
  });

const RateField = (description: string, example: number) =>
  NumberField({
    optional: true,
    nullable: true,
    min: 0,
    max: HIGHEST_RATE,
    example,
    description: `US dollars per million ${description}`,
  });

export class ModelPriceQuery {
  @ProviderField(true)
  provider: string;

  @ModelField(true)
  model: string;
}

export class ModelPriceRequest {
  @ProviderField()
  provider: string;

  @ModelField()
  model: string;

  @RateField('input tokens, whatever the public price.', 0.4)
  input?: number | null;

  @RateField('output tokens, whatever the public price.', 1.2)
  output?: number | null;

  @RateField(
    'tokens read from a cache, whatever the public price. Without it the public rate is used, or else that of input.',
    0.1,
  )
  cached_input?: number | null;

  @RateField(
    'tokens written to a cache, whatever the public price. Those written for an hour cost twice the input.',
    0.5,
  )
  cache_write?: number | null;
}

class ModelPriceBody extends ModelPriceRequest {
  @BooleanField({
    description: 'Whether a public price of the model is known. It provides the rates that are not set.',
  })
  has_public_price: boolean;

  @UpdatedAtField('the price')
  updated_at: string;
}

export class ModelPriceResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ModelPriceBody, description: 'The price as it is after the request.' })
  model_price: ModelPriceBody;
}

class PublicPricesBody {
  @TextField({
    description: 'The path in PRICES_FILE, or the package that the prices came with.',
    example: PACKAGE.source,
  })
  source: string;

  @DateTimeField({ description: 'When the file was written, or the package was released.' })
  updated_at: string;
}

export class ModelPricesResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => PublicPricesBody,
    description: 'The source of the prices that the workspace has not set.',
  })
  public_prices: PublicPricesBody;

  @ApiProperty({
    type: () => [ModelPriceBody],
    description: 'The prices that the workspace has set, by provider and model.',
  })
  model_prices: ModelPriceBody[];
}

export class ModelPriceDeletedResponse {
  @SuccessField()
  success: true;
}

/** Throws a 422 when no rate is given at all. */
export function toRates({ input, output, cached_input, cache_write }: ModelPriceRequest): CustomRates {
  const rates = {
    input: input ?? null,
    output: output ?? null,
    cachedInput: cached_input ?? null,
    cacheWrite: cache_write ?? null,
  };
  if (Object.values(rates).every((rate) => rate === null)) throw new ValidationProblem([NO_RATE]);
  return rates;
}

const NO_RATE = { loc: ['body'], msg: 'At least one rate should be given', type: 'value_error' };

export function toPublicPricesBody({ source, writtenAt }: PriceSource): PublicPricesBody {
  return { source, updated_at: writtenAt.toISOString() };
}

export function toModelPriceBody(price: ModelPrice): ModelPriceBody {
  const builtIn = publicPriceOf(price.provider, price.model);
  return {
    provider: price.provider,
    model: price.model,
    input: price.input,
    output: price.output,
    cached_input: price.cachedInput,
    cache_write: price.cacheWrite,
    has_public_price: builtIn !== null,
    updated_at: price.updatedAt.toISOString(),
  };
}
