import { JsonObjectField, TextField } from '../platform/http/fields.js';
import { REQUEST_FILTER_GROUP } from './shared/request-filters.js';

/** Fields of requests that import request logs. */
export const ImportedFilterGroupField = (): PropertyDecorator =>
  JsonObjectField({
    optional: true,
    nullable: true,
    like: REQUEST_FILTER_GROUP,
    description:
      'Which request logs: `{logic: AND|OR, filters: [{field, operator, value, nested_key}, …]}`. No filters means all.',
    example: { filters: [{ field: 'provider_type', operator: 'is', value: 'openai' }] },
  });

export const ImportedWordsField = (): PropertyDecorator =>
  TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: 'Words that must all occur in the input or output.',
  });
