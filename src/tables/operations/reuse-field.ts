import { BooleanField } from '../../platform/http/fields.js';

/** Whether results from outside that were known before will do, in a request that computes something again. */
export const ReuseField = (): PropertyDecorator =>
  BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description:
      'Results from outside, such as answers of models, that were computed before from the same inputs will do: they cost nothing. By default models are asked again, and only equal cells that are computed together share an answer.',
  });
