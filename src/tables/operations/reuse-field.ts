import { BodyFlagField } from '../../platform/http/common-fields.js';

/** Whether earlier external results may be reused in a recalculation. */
export const ReuseField = (): PropertyDecorator =>
  BodyFlagField(
    'Whether to reuse results of models and other services that were computed before from the same inputs, which costs nothing. By default models are called again, and only equal cells that are computed together share an answer.',
  );
