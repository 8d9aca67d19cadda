import { ApiProperty } from '@nestjs/swagger';
import { CallInputTokensField, CallOutputTokensField, SuccessField } from '../../platform/http/common-fields.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { BooleanField, IntegerField, NumberField, TextField } from '../../platform/http/fields.js';
import { NextCursorField } from '../../platform/http/list.js';
import { NumberedPage } from '../../platform/http/numbered-page.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { shortIso } from '../../platform/time.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import { EnvironmentField, OriginField } from '../../llm/records/origin-fields.js';
import type { Origin } from '../../llm/records/origin.js';
import type { RequestSort } from '../shared/request-sorts.js';
import { LogQueryRequest, toLogQuery } from './log-query.dto.js';
import { type LogPreview, LONGEST_PREVIEW } from './previews.js';
import type { RequestLogRow } from './search-page.queries.js';
import type { FoundLogs, RequestSearch } from './search.service.js';
import {
  CallEndField,
  CallStartField,
  CallStatusField,
  LogSpanField,
  LogTagsField,
  LogTraceField,
  PricedField,
  PriceField,
} from '../shared/call-fields.js';

const FIRST_PAGE = 'Pages by number; leave it out when paging by cursor.';

@Closed()
export class SearchRequestLogsRequest extends LogQueryRequest {
  @IntegerField({ optional: true, nullable: true, min: 1, max: 1_000_000_000, default: 1, description: FIRST_PAGE })
  page?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: 25, default: 10, description: 'Items per page.' })
  per_page?: number | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description:
      '`next_cursor` of the page before. Pages by cursor are equally fast at any depth, and give every log once while new ones arrive.',
  })
  cursor?: string | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: 100,
    description:
      'How many items a page has when paging by cursor, 10 by default. Without `cursor` it asks for the first page.',
  })
  limit?: number | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description: 'Whether to add `prompt_name` to items.',
  })
  include_prompt_name?: boolean | null;

  @BooleanField({ optional: true, nullable: true, default: false, description: 'Whether to add `preview` to items.' })
  include_preview?: boolean | null;
}

class ScoreItem {
  @TextField({ description: 'The name of the score.', example: 'default' })
  name: string;

  @IntegerField({ description: 'The score, 0 to 100.' })
  score: number;
}

const MARKS =
  'The positions of the words of `q`, in order: `start` and `end` in characters (Unicode code points), `end` exclusive.';

class MarkBody {
  @IntegerField({ description: 'The first character of the word, counted from 0.' })
  start: number;

  @IntegerField({ description: 'The end of the word, exclusive.' })
  end: number;
}

const CUT = `In one line of up to ${LONGEST_PREVIEW} characters, with … for what is left out`;

class PreviewBody {
  @TextField({
    nullable: true,
    example: 'Where is my parcel?',
    description: `The last message of the user, or a message with a word of \`q\`. ${CUT}. Null when there is no text.`,
  })
  input: string | null;

  @TextField({
    nullable: true,
    description: `The answer; its JSON and tool calls as lines of paths and values. ${CUT}. Null when there is none.`,
  })
  output: string | null;

  @TextField({ nullable: true, description: `The message of the error. ${CUT}. Null when there is none.` })
  error: string | null;

  @ApiProperty({ type: () => [MarkBody], description: MARKS })
  input_marks: MarkBody[];

  @ApiProperty({
    type: () => [MarkBody],
    description: 'The positions of the words of `q` in the output, like `input_marks`.',
  })
  output_marks: MarkBody[];
}

export class RequestLogItem {
  @IntegerField({
    description: 'The id of the request log; `GET /api/public/v2/requests/{request_id}` reads all of it.',
  })
  id: number;

  @TextField({ example: 'gpt-4o-mini', description: 'The name of the model.' })
  engine: string;

  @TextField({ description: 'The provider of the model.', example: 'openai' })
  provider_type: string;

  @CallInputTokensField()
  input_tokens: number;

  @CallOutputTokensField()
  output_tokens: number;

  @PriceField()
  price: number;

  @PricedField()
  priced: boolean;

  @CallStartField()
  request_start_time: string;

  @CallEndField()
  request_end_time: string;

  @NumberField({ description: 'The time from start to end in seconds.' })
  latency: number;

  @LogTagsField()
  tags_array: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: 'string' } },
    description: 'The metadata: one object with one key per entry.',
    example: [{ user_id: '7' }],
  })
  metadata: Record<string, string>[];

  @ApiProperty({ type: () => [ScoreItem], description: 'The scores of the log, by name.' })
  scores: ScoreItem[];

  @TextField({
    optional: true,
    nullable: true,
    description: 'The name of the prompt; null if none was named or it was deleted. Only with `include_prompt_name`.',
  })
  prompt_name?: string | null;

  @ApiProperty({
    type: () => PreviewBody,
    required: false,
    description: 'The first words of input and output, with the matches of `q`. Only with `include_preview`.',
  })
  preview?: PreviewBody;

  @CallStatusField()
  status: RequestStatus;

  @TextField({ nullable: true, description: 'The type of the error; null for a call without one.' })
  error_type: string | null;

  @IntegerField({
    nullable: true,
    description: 'The prompt of the registry that was called; null when none was named.',
  })
  prompt_id: number | null;

  @IntegerField({ nullable: true, description: 'The version of that prompt; null when none was named.' })
  prompt_version_number: number | null;

  @LogTraceField()
  trace_id: string | null;

  @LogSpanField()
  span_id: string | null;

  @IntegerField({ nullable: true, description: 'The group that the call is in; null when it is in none.' })
  group_id: number | null;

  @OriginField('the call')
  origin: Origin;

  @EnvironmentField('The deployment environment of the call')
  environment: string | null;
}

const PARTIAL =
  'True when the time was up before the page was full: it holds the first matches, and `next_cursor` goes on behind them (when nothing was found in time, the answer is 503 `reading_timeout`). Also when so many logs wait to be indexed that the older ones of them were not looked at: the newest are indexed first; ask again in a moment.';

/** The answer to a request for the page of a number. */
export class RequestLogsPage extends NumberedPage {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [RequestLogItem], description: 'The logs of the page.' })
  items: RequestLogItem[];

  @BooleanField({
    description:
      'False when `total` (and so `pages`) is an estimate, which is never below the number of logs known to exist. Totals are exact when the index can answer within two seconds, otherwise up to 1,000, and on the last page; `has_next` always is.',
  })
  total_is_exact: boolean;

  @BooleanField({ optional: true, description: PARTIAL })
  partial?: true;
}

/** The answer to a request with `cursor` or `limit`. */
export class RequestLogsAfterCursor {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [RequestLogItem], description: 'The logs of the page.' })
  items: RequestLogItem[];

  @NextCursorField()
  next_cursor: string | null;

  @BooleanField({ description: 'Whether another page follows.' })
  has_more: boolean;

  @IntegerField({ description: 'The number of items that a page has at most.' })
  limit: number;

  @BooleanField({ optional: true, description: PARTIAL })
  partial?: true;
}

/** Fields that choose a page; bodies and query strings share them. */
interface Paged {
  sort_by?: RequestSort | null;
  sort_order?: 'asc' | 'desc' | null;
  page?: number | null;
  per_page?: number | null;
  cursor?: string | null;
  limit?: number | null;
}

export type PageChoice = { page: number; perPage: number } | { cursor: string | null; limit: number };

const DEFAULT_ITEMS = 10;

/** `place` is the location of the fields: body or query. Throws a 422 when fields contradict each other. */
export function toPageChoice(paged: Paged, place: string): PageChoice {
  const { page, per_page: perPage = null, cursor = null, limit = null } = paged;
  if (cursor === null && limit === null) return { page: page ?? 1, perPage: perPage ?? DEFAULT_ITEMS };
  if (typeof page === 'number') throw contradiction([place, 'page'], 'page cannot be combined with cursor or limit');
  return { cursor, limit: limit ?? perPage ?? DEFAULT_ITEMS };
}

/** Null for the default order. Throws a 422 when only one of the two fields is given. */
export function toSort({ sort_by: by, sort_order: order }: Paged, place: string): RequestSearch['sort'] {
  if (by && order) return { by, order };
  if (!by && !order) return null;
  throw contradiction([place, by ? 'sort_order' : 'sort_by'], 'sort_by and sort_order must be given together');
}

function contradiction(loc: string[], msg: string): ValidationProblem {
  return new ValidationProblem([{ loc, msg, type: 'value_error' }]);
}

export function toRequestSearch(body: SearchRequestLogsRequest): RequestSearch {
  return {
    ...toLogQuery(body),
    sort: toSort(body, 'body'),
    includePromptName: body.include_prompt_name ?? false,
    includePreview: body.include_preview ?? false,
  };
}

export function toRequestLogItems({ rows, promptNames, previews }: Omit<FoundLogs, 'isPartial'>): RequestLogItem[] {
  return rows.map((row) => ({
    ...toRequestLogItem(row),
    ...(promptNames && { prompt_name: promptNames.get(row.prompt_id ?? 0) ?? null }),
    ...(previews && { preview: toPreviewBody(previews.get(row.id)) }),
  }));
}

/** A log that was deleted in between has no preview. */
function toPreviewBody({ input, output, error }: Partial<LogPreview> = {}): PreviewBody {
  return {
    input: input?.text ?? null,
    output: output?.text ?? null,
    error: error?.text ?? null,
    input_marks: input?.marks ?? [],
    output_marks: output?.marks ?? [],
  };
}

function toRequestLogItem(row: RequestLogRow): RequestLogItem {
  return {
    id: Number(row.id),
    engine: row.model,
    provider_type: row.provider,
    input_tokens: row.input_tokens ?? 0,
    output_tokens: row.output_tokens ?? 0,
    price: row.price ?? 0,
    priced: row.price !== null,
    request_start_time: shortIso(row.started_at),
    request_end_time: shortIso(row.ended_at),
    latency: row.latency_ms / 1000,
    tags_array: row.tags,
    metadata: Object.entries(row.metadata).map(([key, value]) => ({ [key]: value })),
    scores: row.scores,
    status: row.status,
    error_type: row.error_type,
    prompt_id: row.prompt_id,
    prompt_version_number: row.prompt_version_number,
    trace_id: row.trace_id,
    span_id: row.span_id,
    group_id: row.group_id,
    origin: row.origin,
    environment: row.environment,
  };
}
