import * as is from 'class-validator';
import { toTime } from '../filters/values.js';
import { field } from './field.js';

/** A moment in a query; a day alone means all of it. */
export function MomentField(description: string): PropertyDecorator {
  const validate = (value: unknown) => toTime(value) !== null;
  const refusal = { message: 'Input should be a valid datetime', context: { type: 'datetime_parsing' } };
  const rule = is.ValidateBy({ name: 'moment', validator: { validate } }, refusal);
  return field(
    { optional: true, description },
    { validators: [rule], schema: { type: 'string', format: 'date-time' } },
  );
}
