import type { ApiPropertyOptions } from '@nestjs/swagger';
import * as is from 'class-validator';
import { toTime } from './values.js';
import { field, type FieldOptions } from '../http/field.js';

const TIME = { type: 'string', format: 'date-time' } as const;

/** An optional time in a query; a date alone means the whole day. */
export const MomentField = (description: string): PropertyDecorator => momentField({ description }, TIME);

/** The same in a body, where times since the epoch are numbers. */
export const BodyMomentField = (options: FieldOptions): PropertyDecorator =>
  momentField({ nullable: true, ...options }, { oneOf: [TIME, { type: 'number' }] });

function momentField(options: FieldOptions, schema: ApiPropertyOptions): PropertyDecorator {
  const validate = (value: unknown) => toTime(value) !== null;
  const refusal = { message: 'Input should be a valid datetime', context: { type: 'datetime_parsing' } };
  const rule = is.ValidateBy({ name: 'moment', validator: { validate } }, refusal);
  return field({ optional: true, ...options }, { validators: [rule], schema });
}
