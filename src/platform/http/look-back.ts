import { DateTimeField, IntegerField } from './fields.js';

const MOST_DAYS = 3650;

/** Fields of statistics over the last days. */
export const DaysField = (): PropertyDecorator =>
  IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MOST_DAYS,
    description:
      'How far to look back. Whole hours are counted, so it may be up to an hour more: `since` says from when on. Default: all time.',
    example: 7,
  });

export const SinceField = (): PropertyDecorator =>
  DateTimeField({ nullable: true, description: 'From when on calls were counted; null for all time.' });
