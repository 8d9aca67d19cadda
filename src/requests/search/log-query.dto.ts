import { EnumField, JsonObjectField, ListField, TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { REQUEST_FILTER_GROUP } from '../shared/request-filters.js';
import { REQUEST_SORTS, type RequestSort } from '../shared/request-sorts.js';
import type { RequestLogQuery } from './request-conditions.js';
import { FORGIVEN } from '../../text-search/index.js';

/** Which request logs a body asks about. Search and charts take the same one, so that clients can send it to either. */
export abstract class LogQueryRequest {
  @JsonObjectField({
    optional: true,
    nullable: true,
    like: REQUEST_FILTER_GROUP,
    description:
      '`{logic: AND|OR, filters: [{field, operator, value, nested_key}, …]}`; a filter may be such a group itself. No filters means all.',
    example: { filters: [{ field: 'engine', operator: 'is', value: 'gpt-4o' }] },
  })
  filter_group?: JsonObject | null;

  @ListField('object', {
    optional: true,
    nullable: true,
    like: 'RequestFilter',
    description: 'Further filters. A log has to match all of them and `filter_group`.',
  })
  filters?: JsonObject[] | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: `Words that must all occur in the input or output. The beginning of a word is enough. ${FORGIVEN}`,
  })
  q?: string | null;

  @EnumField(REQUEST_SORTS, {
    optional: true,
    nullable: true,
    description:
      'Together with `sort_order`. By default newest first; logs without a value come last. Charts have an order of their own.',
  })
  sort_by?: RequestSort | null;

  @EnumField(['asc', 'desc'], {
    optional: true,
    nullable: true,
    description: 'The direction of `sort_by`. Has to be given together with it.',
  })
  sort_order?: 'asc' | 'desc' | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1024,
    description: 'The key whose values `metadataValueBreakdown` of the analytics is about; by default all keys.',
  })
  metadata_cost_breakdown_key?: string | null;
}

export function toLogQuery({ filter_group: filterGroup, filters, q }: LogQueryRequest): RequestLogQuery {
  return { filterGroup, filters, q };
}
