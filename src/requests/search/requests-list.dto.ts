import { ValidationProblem } from '../../platform/errors/problem.js';
import { parseExactly } from '../../platform/exact-integers.js';
import { toText, toTime } from '../../platform/filters/values.js';
import { readTags, TagsQueryField } from '../../platform/http/tags-query.js';
import { EnumField, IntegerField, TextField } from '../../platform/http/fields.js';
import { isObject, type JsonValue } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { REQUEST_SORTS, type RequestSort } from '../shared/request-sorts.js';
import { toSort } from './search.dto.js';
import type { RequestSearch } from './search.service.js';

const TIME =
  'ISO 8601 (without an offset it is UTC), or seconds, milliseconds, microseconds or nanoseconds since the epoch. ' +
  'A date alone means its whole day, and a time without microseconds its whole millisecond.';

const MOST_TAGS = 20;

@Closed()
export class ListRequestLogsQuery {
  @TextField({ optional: true, query: true, description: 'Only logs whose metadata has this `user_id`.' })
  user_id?: string;

  @TagsQueryField('logs', MOST_TAGS)
  tags?: string[];

  @TextField({
    optional: true,
    query: true,
    description: 'A JSON object: values that the metadata of a log must have, by key.',
    example: '{"user_id": "anna"}',
  })
  metadata?: string;

  @TextField({ optional: true, query: true, description: `The first start of a call. ${TIME}` })
  start_time?: string;

  @TextField({ optional: true, query: true, description: `The last start of a call. ${TIME}` })
  end_time?: string;

  @TextField({ optional: true, query: true, description: 'The id of a prompt, or its name.' })
  prompt_id?: string;

  @EnumField(['SUCCESS', 'WARNING', 'ERROR'], {
    optional: true,
    query: true,
    description: 'Only logs with this status.',
  })
  status?: string;

  @EnumField(REQUEST_SORTS, {
    optional: true,
    query: true,
    description: 'Together with `sort_order`. By default newest first. Logs without a value come last.',
  })
  sort_by?: RequestSort;

  @EnumField(['asc', 'desc'], {
    optional: true,
    query: true,
    description: 'The direction of `sort_by`. Has to be given together with it.',
  })
  sort_order?: 'asc' | 'desc';

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: 1_000_000_000,
    default: 1,
    description: 'The number of the page, from 1. It cannot be combined with `cursor` or `limit`.',
  })
  page?: number;

  @IntegerField({ optional: true, query: true, min: 1, max: 25, default: 10, description: 'Items per page.' })
  per_page?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 4000,
    description: '`next_cursor` of the page before. It cannot be combined with `page`.',
  })
  cursor?: string;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: 100,
    description:
      'How many items a page has when paging by cursor, 10 by default. Without `cursor` it asks for the first page.',
  })
  limit?: number;
}

interface Filter {
  field: string;
  operator: string;
  value: unknown;
  nested_key?: string;
}

interface FilterGroup {
  logic: 'AND' | 'OR';
  filters: (Filter | FilterGroup)[];
}

/** The list is a search; its parameters are filters of the grammar. Throws a 422 for values that mean nothing. */
export function toListSearch(query: ListRequestLogsQuery): RequestSearch {
  const { user_id: userId, tags = [], prompt_id: promptId, status } = query;
  const filters: (Filter | FilterGroup)[] = [
    ...(userId === undefined ? [] : [metadataFilter('user_id', userId)]),
    ...tagFilters(tags),
    ...metadataFilters(query.metadata),
    ...timeFilter(query),
    ...(promptId === undefined ? [] : [{ field: 'prompt_id', operator: 'is', value: promptId }]),
    ...(status === undefined ? [] : [{ field: 'status', operator: 'is', value: status }]),
  ];
  return { filters, sort: toSort(query, 'query'), includePromptName: true, includePreview: false };
}

const hasTag = (tag: string): Filter => ({ field: 'tags', operator: 'contains', value: tag });

const tagFilters = (tags: string[]): (Filter | FilterGroup)[] =>
  readTags(tags, MOST_TAGS).map((meanings) => {
    const filters = meanings.map((parts): FilterGroup => ({ logic: 'AND', filters: parts.map(hasTag) }));
    return { logic: 'OR', filters };
  });

function metadataFilter(key: string, value: unknown): Filter {
  return { field: 'metadata', operator: 'key_equals', nested_key: key, value };
}

const MOST_KEYS = 50;

function metadataFilters(text: string | undefined): Filter[] {
  if (text === undefined) return [];
  const metadata = parseJson(text);
  if (!isObject(metadata)) throw refusal('metadata', 'Input should be a JSON object', 'json_type');
  const entries = Object.entries(metadata);
  if (entries.length > MOST_KEYS) throw refusal('metadata', `Up to ${MOST_KEYS} keys can be given`, 'too_long');
  return entries.map(([key, value]) => {
    if (key === '' || toText(value) === null) {
      throw refusal('metadata', 'Keys should not be empty, and values texts, numbers or booleans', 'value_error');
    }
    return metadataFilter(key, value);
  });
}

function parseJson(text: string): JsonValue {
  try {
    return parseExactly(text) as JsonValue;
  } catch {
    throw refusal('metadata', 'Input should be a JSON object', 'json_invalid');
  }
}

function timeFilter({ start_time: start, end_time: end }: ListRequestLogsQuery): Filter[] {
  if (start === undefined && end === undefined) return [];
  checkTime('start_time', start);
  checkTime('end_time', end);
  const value = [start ?? FIRST_DAY, end ?? LAST_DAY];
  return [{ field: 'request_start_time', operator: 'between', value }];
}

const FIRST_DAY = '0001-01-01';
const LAST_DAY = '9999-12-31';

function checkTime(name: string, text: string | undefined): void {
  if (text === undefined || toTime(text)) return;
  throw refusal(name, 'Input should be a valid datetime', 'datetime_parsing');
}

function refusal(name: string, msg: string, type: string): ValidationProblem {
  return new ValidationProblem([{ loc: ['query', name], msg, type }]);
}
