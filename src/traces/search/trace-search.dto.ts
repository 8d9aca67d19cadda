import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../../platform/http/common-fields.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  ListField,
  TextField,
} from '../../platform/http/fields.js';
import { FilterFieldBody, toFilterFieldBody } from '../../platform/filters/described-fields.js';
import { NextCursorField, type Order, PagePosition, PaginationField } from '../../platform/http/list.js';
import { NumberedPage, numberedPage } from '../../platform/http/numbered-page.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { FORGIVEN } from '../../text-search/index.js';
import { toTraceBody, TraceBody } from './trace-body.dto.js';
import { TRACE_FILTER_GROUP, type TraceFieldDescription } from './trace-fields.js';
import { TRACE_SORTS, type TraceSort } from './trace-page.queries.js';
import type { FoundPage, FoundTraces, TraceSearchRequest } from './trace-search.service.js';
import type { Total } from '../../platform/http/total.js';

const FILTERS =
  '`{logic: AND|OR|SPAN_AND|SPAN_OR, filters: [{field, operator, value, nested_key}, …]}`; a filter may be such a group itself. ' +
  'In AND and OR, each condition on spans may be met by a different span, and a negative condition means that no span has the value. ' +
  'In SPAN_AND and SPAN_OR, and in all groups inside them, one and the same span has to meet the conditions. See GET …/traces/search/fields.';
const WORDS = `Words that must all occur in the names, inputs or outputs of spans. The beginning of a word is enough. ${FORGIVEN}`;
const SORT = 'The value to sort by. Traces without a value come last.';
const CURSOR = 'The `next_cursor` or `prev_cursor` of another page. Not together with `page`.';
const LIMIT =
  'How many items a page has when paging by cursor, 10 by default. Without `cursor` it asks for the first page. Not together with `page`.';
const OUTPUT_KEYS = 'One span has all these paths in its output and also matches `span_output_values`.';
const OUTPUT_VALUES =
  'Values in the output of that span. An object gives the value at each path, or a list of values of which any one matches. A list ' +
  'gives values that must all occur somewhere in the output.';
const MOST_OUTPUTS = 20;
const MAX_PAGE = 1_000_000_000;

/** Fields that POST and GET share. */
interface Paged {
  q?: string | null;
  sort_by?: TraceSort | null;
  sort_order?: Order | null;
  page?: number | null;
  per_page?: number | null;
  cursor?: string | null;
  limit?: number | null;
}

@Closed()
export class SearchTracesRequest implements Paged {
  @JsonObjectField({
    optional: true,
    nullable: true,
    like: TRACE_FILTER_GROUP,
    description: FILTERS,
    example: {
      logic: 'SPAN_AND',
      filters: [
        { field: 'span_type', operator: 'is', value: 'LLM_CALL' },
        { field: 'span_status', operator: 'is', value: 'ERROR' },
      ],
    },
  })
  filter_group?: JsonObject | null;

  @TextField({ optional: true, nullable: true, maxLength: 1000, description: WORDS })
  q?: string | null;

  @EnumField(TRACE_SORTS, {
    optional: true,
    nullable: true,
    default: 'trace_start',
    description: SORT,
  })
  sort_by?: TraceSort | null;

  @EnumField(['asc', 'desc'], {
    optional: true,
    nullable: true,
    default: 'desc',
    description: 'The direction of `sort_by`.',
  })
  sort_order?: Order | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_PAGE,
    default: 1,
    description: 'The number of the page, from 1. Leave it out when paging by cursor.',
  })
  page?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: 100, default: 10, description: 'Items per page.' })
  per_page?: number | null;

  @TextField({ optional: true, nullable: true, maxLength: 4000, description: CURSOR })
  cursor?: string | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: 100, description: LIMIT })
  limit?: number | null;

  @ListField('string', { optional: true, nullable: true, maxItems: MOST_OUTPUTS, description: OUTPUT_KEYS })
  span_output_keys?: string[] | null;

  @JsonField({ optional: true, nullable: true, description: OUTPUT_VALUES })
  span_output_values?: JsonValue;
}

@Closed()
export class SearchTracesQuery implements Paged {
  @TextField({ optional: true, query: true, maxLength: 65_536, description: `JSON text. ${FILTERS}` })
  filter_group?: string;

  @TextField({ optional: true, query: true, maxLength: 1000, description: WORDS })
  q?: string;

  @EnumField(TRACE_SORTS, {
    optional: true,
    query: true,
    default: 'trace_start',
    description: SORT,
  })
  sort_by?: TraceSort;

  @EnumField(['asc', 'desc'], {
    optional: true,
    query: true,
    default: 'desc',
    description: 'The direction of `sort_by`.',
  })
  sort_order?: Order;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MAX_PAGE,
    default: 1,
    description: 'The number of the page, from 1. Leave it out when paging by cursor.',
  })
  page?: number;

  @IntegerField({ optional: true, query: true, min: 1, max: 100, default: 10, description: 'Items per page.' })
  per_page?: number;

  @TextField({ optional: true, query: true, maxLength: 4000, description: CURSOR })
  cursor?: string;

  @IntegerField({ optional: true, query: true, min: 1, max: 100, description: LIMIT })
  limit?: number;
}

const PARTIAL =
  'True when the time was up before the page was full: it holds the first matches, and there may be more. `next_cursor` goes on behind them. When nothing was found in time, the answer is 503 `reading_timeout`. Also true when so many traces have just changed that some were not searched as they are now: ask again in a moment.';

/** The answer to a request for the page of a number. */
export class TracesPage extends NumberedPage {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [TraceBody], description: 'The traces of the page.' })
  items: TraceBody[];

  @BooleanField({
    description:
      'False when `total` (and so `pages`) is an estimate, which is never below what is known to exist. Totals up to 1,000 are counted where that is quick, and those of the last page are exact; `has_next` always is.',
  })
  total_is_exact: boolean;

  @BooleanField({ optional: true, description: PARTIAL })
  partial?: true;
}

/** The answer to a request with `cursor` or `limit`. */
export class TracesAfterCursor {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [TraceBody], description: 'The traces of the page.' })
  items: TraceBody[];

  @NextCursorField()
  next_cursor: string | null;

  @BooleanField({ description: 'Whether another page follows.' })
  has_more: boolean;

  @PaginationField()
  pagination: PagePosition;

  @BooleanField({ optional: true, description: PARTIAL })
  partial?: true;
}

class TraceFieldBody extends FilterFieldBody {
  @EnumField(['trace', 'span'], {
    description:
      'Whether it is a field of the trace or of its spans. Fields of the trace cannot be used in SPAN_AND and SPAN_OR.',
  })
  level: string;
}

export class TraceFieldsResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [TraceFieldBody],
    description: 'The fields in the order in which forms should show them.',
  })
  fields: TraceFieldBody[];
}

export type PageChoice = { page: number; perPage: number } | { cursor: string | null; limit: number };

const DEFAULT_ITEMS = 10;

/** `place` is the location of the fields: body or query. Throws a 422 when they contradict each other. */
export function toTracePageChoice(paged: Paged, place: string): PageChoice {
  const { page, cursor, limit } = paged;
  const perPage = paged.per_page ?? DEFAULT_ITEMS;
  const byCursor = isGiven(cursor) || isGiven(limit);
  if (isGiven(page) && byCursor) {
    const msg = 'page cannot be combined with cursor or limit';
    throw new ValidationProblem([{ loc: [place, 'page'], msg, type: 'value_error' }]);
  }
  return byCursor ? { cursor: cursor ?? null, limit: limit ?? perPage } : { page: page ?? 1, perPage };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

export function toTraceSearch(paged: Paged, filterGroup: unknown, place: string): TraceSearchRequest {
  const sort = { by: paged.sort_by ?? 'trace_start', order: paged.sort_order ?? 'desc' } as const;
  return { filterGroup, q: paged.q, sort, at: [place, 'filter_group'] };
}

export function toTracesPage(
  found: FoundPage<Total>,
  { page, perPage }: { page: number; perPage: number },
): TracesPage {
  const { total, isExact } = found;
  const numbered = numberedPage(page, perPage, total);
  return { success: true, items: toItems(found), ...numbered, total_is_exact: isExact, ...partial(found) };
}

export function toTracesAfterCursor({
  pagination,
  ...found
}: FoundPage<{ pagination: PagePosition }>): TracesAfterCursor {
  const { next_cursor, has_more } = pagination;
  return { success: true, items: toItems(found), next_cursor, has_more, pagination, ...partial(found) };
}

const partial = ({ isPartial }: { isPartial: boolean }): { partial?: true } => (isPartial ? { partial: true } : {});

function toItems({ traces, promptNames }: FoundTraces): TraceBody[] {
  return traces.map((trace) => toTraceBody(trace, promptNames));
}

export function toFieldsResponse(fields: TraceFieldDescription[]): TraceFieldsResponse {
  return { success: true, fields: fields.map((field) => ({ ...toFilterFieldBody(field), level: field.level })) };
}
