import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { ARRIVAL_KINDS, type ArrivalKind } from '../arrivals/index.js';
import { CreatedAtField, SuccessField, UpdatedAtField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  componentOf,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  NumberField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { JsonObject } from '../platform/json.js';
import { REQUEST_FILTER_GROUP } from '../requests/index.js';
import { SheetPath } from '../tables/index.js';
import { TRACE_FILTER_GROUP } from '../traces/index.js';
import type { ItemDecision } from './feed-decisions.service.js';
import { DECISIONS, FEED_ORIGINS, type FeedOrigin, PAUSE_REASONS, type PauseReason } from './feed-settings.js';

z.unknown().meta({
  id: 'FeedFilterGroup',
  description: 'A filter group of requests or of traces, like the source of the feed.',
  anyOf: [REQUEST_FILTER_GROUP, TRACE_FILTER_GROUP].map(componentOf),
});

const STATES = ['active', 'paused'] as const;
const LONGEST_NAME = 255;
export const DEFAULT_KEEP = 10_000;
export const DEFAULT_QUIET = 30;
const MOST_DOLLARS = 1_000_000_000;

const FILTER = 'The same filter as in the search of the source. Null or left out: everything.';
const Q = 'The same words as in the search of the source.';
const SAMPLE_RATE =
  'The share of the traces that is looked at, 0 to 1. A hash of the trace id decides, so feeds of one rate choose the same traces, and all calls of a trace or none.';
const ROWS_PER_HOUR =
  'The most rows that an hour may add; null for any number. What is beyond is counted and left out.';
const ROWS_PER_DAY = 'The most rows that a day (UTC) may add; null for any number.';
const COST_PER_DAY =
  'US dollars that computing rows may cost in a day (UTC); null for any amount. Calls reserve their cost before they begin, so it is kept to the cell.';
const FIELDS =
  'Facts that become columns beside the id, `input` and `output`. For requests those of `include_fields` of imports; for traces `name`, `status`, `error`, `start_time`, `duration_ms`, `cost`, `input_tokens`, `output_tokens`, `span_count`, `error_count`, `models`, `tools`, `user_id`, `session_id`, `tags`, `metadata` and `environment`. Missing columns are added.';
const VARIABLES = 'Input variables of prompts that become columns. Only for requests.';
const QUIET =
  'A trace that nobody closes is judged when it has not grown for so many seconds. A closed one is judged at once. Request logs do not wait.';
const RECOMPUTE_GROWN =
  'A trace that grows after it was judged gets its row rewritten, and cells that read what changed become stale. True: they are computed again.';
const KEEP_ROWS = 'The newest rows that stay. Older ones leave the sheet with their history.';
const KEEP_DAYS = 'Rows that came more days ago leave as well; null for no such limit.';
const ORIGINS =
  'Who made the items. Calls and traces of sheets and workflows are never taken, because a feed could cause them.';

@Closed()
export class PublishedColumnBody {
  @UuidField({ description: 'A column of the sheet.' })
  column_id: string;

  @TextField({ minLength: 1, maxLength: LONGEST_NAME, description: 'The name of the score.', example: 'tone' })
  name: string;
}

const PUBLISHES =
  'Columns whose values become scores of the request or trace: a verdict is 100 or 0, a number between 0 and 100 is itself, anything else is not published. Published again when the cell changes.';

export class ListFeedsQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

export class FeedPathParameters extends SheetPath {
  @UuidField({ query: true, description: 'The id of the feed.' })
  feed_id: string;
}

@Closed()
export class FeedSettingsRequest {
  @JsonObjectField({ optional: true, nullable: true, like: 'FeedFilterGroup', description: FILTER })
  filter_group?: JsonObject | null;

  @TextField({ optional: true, nullable: true, maxLength: 10_000, description: Q })
  q?: string | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: FEED_ORIGINS.length,
    values: FEED_ORIGINS,
    description: ORIGINS,
  })
  origins?: FeedOrigin[] | null;

  @NumberField({ optional: true, min: 0, max: 1, default: 1, description: SAMPLE_RATE, example: 0.1 })
  sample_rate?: number;

  @IntegerField({ optional: true, nullable: true, min: 0, max: MAX_ID, description: ROWS_PER_HOUR })
  rows_per_hour?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 0, max: MAX_ID, description: ROWS_PER_DAY, example: 500 })
  rows_per_day?: number | null;

  @NumberField({ optional: true, nullable: true, min: 0, max: MOST_DOLLARS, description: COST_PER_DAY })
  cost_per_day?: number | null;

  @ListField('string', { optional: true, nullable: true, maxItems: 100, description: FIELDS })
  fields?: string[] | null;

  @ListField('string', { optional: true, nullable: true, maxItems: 100, description: VARIABLES })
  variables?: string[] | null;

  @IntegerField({ optional: true, min: 1, max: 3600, default: DEFAULT_QUIET, description: QUIET })
  quiet_seconds?: number;

  @BooleanField({ optional: true, default: false, description: RECOMPUTE_GROWN })
  recompute_grown?: boolean;

  @IntegerField({ optional: true, min: 1, max: MAX_ID, default: DEFAULT_KEEP, description: KEEP_ROWS })
  keep_rows?: number;

  @IntegerField({ optional: true, nullable: true, min: 1, max: 36_500, description: KEEP_DAYS })
  keep_days?: number | null;

  @ListField(() => PublishedColumnBody, { optional: true, nullable: true, maxItems: 20, description: PUBLISHES })
  publishes?: PublishedColumnBody[] | null;
}

@Closed()
export class PlanFeedRequest extends FeedSettingsRequest {
  @EnumField(ARRIVAL_KINDS, { description: 'Source of the items: request logs or traces.', example: 'requests' })
  source: ArrivalKind;

  @DateTimeField({
    optional: true,
    nullable: true,
    description:
      'Stored items that began then or later are decided about as well, oldest first. By default the feed starts with the next arrival.',
  })
  begins_at?: string | null;
}

@Closed()
export class CreateFeedRequest extends PlanFeedRequest {
  @TextField({ minLength: 1, maxLength: LONGEST_NAME, description: 'The name of the feed.', example: 'Failing calls' })
  name: string;
}

@Closed()
export class UpdateFeedRequest extends FeedSettingsRequest {
  @TextField({ optional: true, minLength: 1, maxLength: LONGEST_NAME, description: 'A new name.', example: 'Failures' })
  name?: string;

  @EnumField(STATES, {
    optional: true,
    description:
      'A paused feed decides about nothing. What arrives waits for it, and it goes on where it stopped. After a pause of 30 days what has waited for as long expires: it is counted as `expired`. Rows whose cells failed before a pause for that reason are computed again.',
  })
  state?: (typeof STATES)[number];
}

export class FeedCountsBody {
  @IntegerField({ description: 'Items that were decided, or expired.' })
  seen: number;

  @IntegerField({ description: 'Items that got a row.' })
  chosen: number;

  @IntegerField({ description: 'Items that the sample left out.' })
  sampled_out: number;

  @IntegerField({ description: 'Items that did not match.' })
  filtered: number;

  @IntegerField({ description: 'Items beyond `rows_per_hour`.' })
  rows_per_hour: number;

  @IntegerField({ description: 'Items beyond `rows_per_day`.' })
  rows_per_day: number;

  @IntegerField({ description: 'Items beyond `cost_per_day`.' })
  cost_per_day: number;

  @IntegerField({ description: 'Items that were deleted before they were decided.' })
  deleted: number;

  @IntegerField({
    description: 'Items that the feed never decided about, because they arrived during a pause and waited for 30 days.',
  })
  expired: number;

  @IntegerField({ description: 'Traces that grew after they had got a row.' })
  grown: number;
}

export class FeedBackfillBody {
  @DateTimeField({ description: 'Start of the backfill: it has the items that began then or later.' })
  begins_at: string;

  @BooleanField({ description: 'Whether all of them have been decided.' })
  is_done: boolean;
}

export class FeedBody {
  @UuidField({ description: 'The id of the feed.' })
  id: string;

  @TextField({ description: 'The name of the feed.', example: 'Failing calls' })
  name: string;

  @UuidField({ nullable: true, description: 'The table of the sheet.' })
  table_id: string | null;

  @UuidField({ description: 'The sheet that gets the rows.' })
  sheet_id: string;

  @EnumField(ARRIVAL_KINDS, { description: 'Source of the items.', example: 'requests' })
  source: ArrivalKind;

  @JsonObjectField({ nullable: true, like: 'FeedFilterGroup', description: FILTER })
  filter_group: JsonObject | null;

  @TextField({ nullable: true, description: Q })
  q: string | null;

  @ListField('string', { values: FEED_ORIGINS, description: ORIGINS })
  origins: FeedOrigin[];

  @NumberField({ description: SAMPLE_RATE })
  sample_rate: number;

  @IntegerField({ nullable: true, description: ROWS_PER_HOUR })
  rows_per_hour: number | null;

  @IntegerField({ nullable: true, description: ROWS_PER_DAY })
  rows_per_day: number | null;

  @NumberField({ nullable: true, description: COST_PER_DAY })
  cost_per_day: number | null;

  @ListField('string', { description: FIELDS })
  fields: string[];

  @ListField('string', { description: VARIABLES })
  variables: string[];

  @JsonObjectField({
    values: { type: 'string', format: 'uuid' },
    description: 'The column of each field, by its title.',
  })
  columns: Record<string, string>;

  @IntegerField({ description: QUIET })
  quiet_seconds: number;

  @BooleanField({ description: RECOMPUTE_GROWN })
  recompute_grown: boolean;

  @IntegerField({ description: KEEP_ROWS })
  keep_rows: number;

  @IntegerField({ nullable: true, description: KEEP_DAYS })
  keep_days: number | null;

  @ListField(() => PublishedColumnBody, { description: PUBLISHES })
  publishes: PublishedColumnBody[];

  @EnumField(STATES, { description: 'Whether it decides about what arrives.' })
  state: (typeof STATES)[number];

  @EnumField(PAUSE_REASONS, {
    nullable: true,
    description: 'Why it is paused: by a user, or by the server because it cannot go on. Null while it is active.',
  })
  paused_reason: PauseReason | null;

  @TextField({ nullable: true, description: 'Explanation of the reason, and what to do about it.' })
  paused_message: string | null;

  @IntegerField({ description: 'Changes with the settings. Decisions name the revision that made them.' })
  revision: number;

  @ApiProperty({
    type: () => FeedBackfillBody,
    nullable: true,
    description: 'Progress through items that were stored before; null without a backfill.',
  })
  backfill: FeedBackfillBody | null;

  @ApiProperty({ type: () => FeedCountsBody, description: 'Decisions in this hour and the one before.' })
  last_hour: FeedCountsBody;

  @IntegerField({ description: 'Rows of the feed that are in the sheet.' })
  row_count: number;

  @IntegerField({ description: 'Rows with cells that are not computed yet.' })
  waiting_count: number;

  @IntegerField({ description: 'Arrivals that the feed has not decided about, up to 100,000.' })
  undecided_count: number;

  @DateTimeField({ nullable: true, description: 'When the oldest of them arrived; null without any.' })
  undecided_since: string | null;

  @DateTimeField({
    nullable: true,
    description:
      'When the feed was found to be behind: it is active, and an arrival had waited more than five minutes. Null again when it has caught up. See the event `feed_behind`.',
  })
  behind_since: string | null;

  @NumberField({ description: 'US dollars that rows of today (UTC) have cost.' })
  cost_today: number;

  @IntegerField({ nullable: true, description: 'The API key or the member who created the feed.' })
  created_by: number | null;

  @CreatedAtField('feed')
  created_at: string;

  @UpdatedAtField('feed')
  updated_at: string;
}

export class FeedResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => FeedBody, description: 'The feed.' })
  feed: FeedBody;
}

export class FeedsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [FeedBody], description: 'The feeds of the page, newest first.' })
  data: FeedBody[];
}

export class DeleteFeedResponse {
  @SuccessField()
  success: true;
}

export class PlannedItemsBody {
  @IntegerField({ description: 'Items that are stored.' })
  items: number;

  @IntegerField({ description: 'Items that match and are in the sample.' })
  chosen: number;

  @IntegerField({ description: 'Chosen items within the limits on rows.' })
  rows: number;

  @IntegerField({ description: 'Cells that would be computed.' })
  cells: number;

  @NumberField({ nullable: true, description: 'US dollars for these cells; null if the price of a row is not known.' })
  price: number | null;

  @BooleanField({ description: 'False if the figures are estimated from the newest 2,000 items.' })
  is_exact: boolean;
}

export class FeedPlanResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => PlannedItemsBody, description: 'Result of the feed for the last 24 hours.' })
  last_day: PlannedItemsBody;

  @ApiProperty({
    type: () => PlannedItemsBody,
    nullable: true,
    description: 'Result of the feed for items since `begins_at`; null when the feed begins now.',
  })
  backfill: PlannedItemsBody | null;

  @NumberField({ nullable: true, description: 'Price of a row in US dollars; null if it is not known.' })
  price_per_row: number | null;

  @BooleanField({ description: 'Whether computing a row calls models or services. Such a feed needs a limit.' })
  needs_limit: boolean;
}

const ITEM_DECISIONS = [...DECISIONS, 'waiting', 'before_feed'] as const satisfies readonly ItemDecision[];

export class FeedDecisionQuery {
  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'The id of a request log, for a feed of requests.',
    example: 1,
  })
  request_id?: number;

  @TextField({ optional: true, query: true, maxLength: 1000, description: 'The id of a trace, for a feed of traces.' })
  trace_id?: string;
}

export class FeedDecisionResponse {
  @SuccessField()
  success: true;

  @TextField({ description: 'The id of the request log or trace.' })
  item_id: string;

  @EnumField(ITEM_DECISIONS, {
    description:
      'The decision. `waiting`: none yet. `expired`: none, because the item waited for 30 days during a pause. `before_feed`: stored before the feed began. `deleted`: not stored.',
  })
  decision: ItemDecision;

  @TextField({ description: 'The decision in words.' })
  reason: string;

  @BooleanField({
    description:
      'True if the decision is stored: for chosen items, and for 30 days for items beyond a limit. All others are repeated with the settings that were in force.',
  })
  is_recorded: boolean;

  @DateTimeField({ nullable: true, description: 'When it was decided, if that is stored.' })
  decided_at: string | null;

  @IntegerField({ description: 'The revision of the settings.' })
  revision: number;

  @NumberField({
    nullable: true,
    description: 'The place of the item between 0 and 1; the sample takes those below the rate.',
  })
  sample: number | null;

  @NumberField({ description: 'The sampling rate of that revision.' })
  sample_rate: number;

  @IntegerField({ nullable: true, description: 'The index of its row while that exists.' })
  row_index: number | null;
}

export class FeedHoursQuery {
  @LimitField(48)
  limit?: number;
}

export class FeedHourBody extends FeedCountsBody {
  @DateTimeField({ description: 'The beginning of the hour.' })
  hour: string;
}

export class FeedHoursResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [FeedHourBody], description: 'Hours in which something was decided, newest first.' })
  data: FeedHourBody[];

  @IntegerField({ description: 'Maximum number of hours in the response.' })
  limit: number;
}
