import { ListField } from '../../platform/http/fields.js';

/** The titles by which rows of different sheets are matched. */
export const MatchByField = (sheets: string): PropertyDecorator =>
  ListField('string', {
    optional: true,
    query: true,
    keepsCommas: true,
    minItems: 1,
    maxItems: 20,
    description: `For calculations of ${sheets}: titles of the columns that identify rows. Default: all inputs that the sheets have in common.`,
  });
