import { defineErrors } from '../platform/errors/problem.js';

export const RepricingErrors = defineErrors({
  repricing_of_public_model: {
    status: 409,
    message: (provider: string, model: string) =>
      `${provider}/${model} has a public price. Its calls without a price were billed for something beside their tokens, which is not stored, so they cannot be priced later.`,
  },
  repricing_running: {
    status: 409,
    message: (provider: string, model: string) =>
      `Calls of ${provider}/${model} are being priced. Begin again when that has ended.`,
  },
});
