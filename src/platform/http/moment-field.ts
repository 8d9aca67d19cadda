import * as is from 'class-validator';
import { toTime } from '../filters/values.js';
import { field, type FieldOptions } from './field.js';

/** A moment; a day alone means all of it. It may be left out. */
export function MomentField(description: string, options: FieldOptions = {}): PropertyDecorator {
  const validate = (value: unknown) => toTime(value) !== null;
  const refusal = { message: 'Input should be a valid datetime', context: { type: 'datetime_parsing' } };
  const rule = is.ValidateBy({ name: 'moment', validator: { validate } }, refusal);
  return field(
    { optional: true, description, ...options },
    { validators: [rule], schema: { type: 'string', format: 'date-time' } },
  );
}
