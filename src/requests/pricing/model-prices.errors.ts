import { defineErrors } from '../../platform/errors/problem.js';

export const ModelPriceErrors = defineErrors({
  model_price_not_found: {
    status: 404,
    message: (provider: string, model: string) => `This workspace has set no price for ${provider}/${model}.`,
  },
  model_prices_too_many: { status: 409, message: (limit: number) => `A workspace may set ${limit} prices.` },
});
