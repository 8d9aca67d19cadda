import { ApiProperty } from '@nestjs/swagger';
import { ValidationProblem } from '../../platform/errors/problem.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { NumberedPage } from '../../platform/http/numbered-page.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { shortIso } from '../../platform/time.js';
import type { RequestStatus } from '../../llm/records/llm-call.js';
import type { RequestSort } from '../request-sorts.js';
import { LogQueryRequest, toLogQuery } from './log-query.dto.js';
import { type LogPreview, LONGEST_PREVIEW } from './previews.js';
import type { RequestLogRow } from './search-page.queries.js';
import type { FoundLogs, RequestSearch } from './search.service.js';

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

  @BooleanField({ optional: true, nullable: true, default: false, description: 'Whether items have `prompt_name`.' })
  include_prompt_name?: boolean | null;

  @BooleanField({ optional: true, nullable: true, default: false, description: 'Whether items have `preview`.' })
  include_preview?: boolean | null;
}

class ScoreItem {
  @TextField({ example: 'default' })
  name: string;

  @IntegerField()
  score: number;
}

const MARKS =
  'Where the words of `q` stand, in their order: `start` and `end` in characters (code points of Unicode), `end` behind the last.';

class MarkBody {
  @IntegerField()
  start: number;

  @IntegerField()
  end: number;
}

const CUT = `In one line of up to ${LONGEST_PREVIEW} characters, with … for what is left out`;

class PreviewBody {
  @TextField({
    nullable: true,
    example: 'Where is my parcel?',
    description: `The last that the user said, or a message in which a word of \`q\` stands. ${CUT}. Null when there is no text.`,
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

  @ApiProperty({ type: () => [MarkBody], description: 'The same for the output.' })
  output_marks: MarkBody[];
}

export class RequestLogItem {
  @IntegerField()
  id: number;

  @TextField({ example: 'gpt-4o-mini', description: 'The model.' })
  engine: string;

  @TextField({ example: 'openai' })
  provider_type: string;

  @IntegerField()
  input_tokens: number;

  @IntegerField()
  output_tokens: number;

  @NumberField({ description: 'US dollars; 0 when no price is known, see `priced`.' })
  price: number;

  @BooleanField({ description: 'False when no price is known for the model, so that 0 is not mistaken for free.' })
  priced: boolean;

  @DateTimeField()
  request_start_time: string;

  @DateTimeField()
  request_end_time: string;

  @NumberField({ description: 'Seconds.' })
  latency: number;

  @ListField('string')
  tags_array: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: 'string' } },
    description: 'An object per key.',
    example: [{ user_id: '7' }],
  })
  metadata: Record<string, string>[];

  @ApiProperty({ type: () => [ScoreItem] })
  scores: ScoreItem[];

  @TextField({ optional: true, nullable: true, description: 'Only with `include_prompt_name`.' })
  prompt_name?: string | null;

  @ApiProperty({ type: () => PreviewBody, required: false, description: 'Only with `include_preview`.' })
  preview?: PreviewBody;

  @EnumField(['SUCCESS', 'WARNING', 'ERROR'])
  status: RequestStatus;

  @TextField({ nullable: true })
  error_type: string | null;

  @IntegerField({ nullable: true })
  prompt_id: number | null;

  @IntegerField({ nullable: true })
  prompt_version_number: number | null;

  @TextField({ nullable: true })
  trace_id: string | null;

  @TextField({ nullable: true })
  span_id: string | null;

  @IntegerField({ nullable: true })
  group_id: number | null;
}

const PARTIAL =
  'True when the time was up before the page was full: it holds the first matches, and `next_cursor` goes on behind them (when nothing was found in time, the answer is 503 `reading_timeout`). Also when so many logs wait to be indexed that the older ones of them were not looked at: the newest are indexed first; ask again in a moment.';

/** The answer to a request for the page of a number. */
export class RequestLogsPage extends NumberedPage {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [RequestLogItem] })
  items: RequestLogItem[];

  @BooleanField({
    description:
      'False when `total` (and so `pages`) is an estimate, which is never below what is known to exist. Totals are exact where the index tells everything within two seconds, up to 1,000 otherwise, and on the last page; `has_next` always is.',
  })
  total_is_exact: boolean;

  @BooleanField({ optional: true, description: PARTIAL })
  partial?: true;
}

/** The answer to a request with `cursor` or `limit`. */
export class RequestLogsAfterCursor {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => [RequestLogItem] })
  items: RequestLogItem[];

  @TextField({ nullable: true, description: 'Pass it as `cursor` to get the next page; null on the last page.' })
  next_cursor: string | null;

  @BooleanField()
  has_more: boolean;

  @IntegerField()
  limit: number;

  @BooleanField({ optional: true, description: PARTIAL })
  partial?: true;
}

/** How a request for logs says which page it wants; bodies and query strings share it. */
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

/** `place` is where the fields stand: body or query. Throws a 422 when fields contradict each other. */
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

/** A log that was deleted in between has none. */
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
  };
}
