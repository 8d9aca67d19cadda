import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { EXAMPLE_SHEET_ID } from '../platform/example-data.js';
import { CreatedAtField, SuccessField, UpdatedAtField } from '../platform/http/common-fields.js';
import {
  componentOf,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { SchemaField } from '../platform/http/schema-field.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { JsonObject } from '../platform/json.js';
import { REQUEST_FILTER_GROUP } from '../requests/index.js';
import { ROW_FILTER_GROUP } from '../tables/index.js';
import { TRACE_FILTER_GROUP } from '../traces/index.js';
import { refuseBoth, toAsked } from './asked.js';
import { type QuestionBody, QUESTIONS, questionsOf, toQuestion, toQuestionBody } from './questions.js';
import { type ItemSelection, MOST_ITEMS } from './review-items.service.js';
import { QUEUE_STATES, type QueueState, SUBJECTS, type Subject } from './review-queue.entity.js';
import type { CountedQueue, NewReviewQueue, OpenedQueue, QueueChange } from './review-queues.service.js';
import { RUBRIC, type Rubric } from './rubric.js';

const MOST_REVIEWERS = 3;

z.unknown().meta({
  id: 'ReviewFilterGroup',
  description: 'A filter group for requests, traces or rows, like the items of the queue.',
  anyOf: [REQUEST_FILTER_GROUP, TRACE_FILTER_GROUP, ROW_FILTER_GROUP].map(componentOf),
});

const LONGEST_NAME = 255;
const MOST_JUDGES = 10;

const HUMAN_COLUMN =
  'A column of the type HUMAN in the sheet. It gets the result of every finished item: for thumbs 1 or 0 (yes or no in a column of texts), for a scale the number, for categories the label.';
const JUDGE_COLUMN =
  'A column of the sheet whose values are compared with the results. Reviewers see its value after their answer.';
const SCORE_NAME =
  'The name of a score that every finished request gets: for thumbs 100 or 0, for a scale the position between its ends, 0 to 100.';
const RUBRIC_HELP = 'What reviewers answer: the rubric of the first question.';
const MORE_HELP =
  'In place of `rubric`: 1 to 8 questions that are answered together. Each has a column or score of its own.';

export class ReviewQueuePath {
  @UuidField({ query: true, description: 'The id of the review queue.' })
  review_queue_id: string;
}

export class ListReviewQueuesQuery extends CursorQuery {
  @LimitField(20)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

@Closed()
export class CreateReviewQueueRequest {
  @TextField({
    minLength: 1,
    maxLength: LONGEST_NAME,
    description: 'The name of the queue.',
    example: 'Tone of answers',
  })
  name: string;

  @EnumField(SUBJECTS, { description: 'Kind of the items: rows of one sheet, requests, or traces.', example: 'row' })
  subject: Subject;

  @UuidField({
    optional: true,
    nullable: true,
    description: 'The sheet of the rows. Only for rows.',
    example: EXAMPLE_SHEET_ID,
  })
  sheet_id?: string | null;

  @SchemaField(RUBRIC, {
    optional: true,
    description: 'Possible answers, for a queue with one question. Required without `questions`.',
    example: { kind: 'scale', min: 1, max: 5 },
  })
  rubric?: Rubric;

  @SchemaField(QUESTIONS, { optional: true, nullable: true, description: MORE_HELP })
  questions?: QuestionBody[] | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MOST_REVIEWERS,
    default: 1,
    description:
      'How many people answer each item. They do not see the answers of the others before their own. More than one shows how far people agree.',
    example: 2,
  })
  reviewers_per_item?: number | null;

  @UuidField({ optional: true, nullable: true, description: HUMAN_COLUMN })
  human_column_id?: string | null;

  @UuidField({ optional: true, nullable: true, description: JUDGE_COLUMN })
  judge_column_id?: string | null;

  @TextField({ optional: true, nullable: true, minLength: 1, maxLength: LONGEST_NAME, description: SCORE_NAME })
  score_name?: string | null;
}

@Closed()
export class UpdateReviewQueueRequest {
  @TextField({
    optional: true,
    minLength: 1,
    maxLength: LONGEST_NAME,
    description: 'A new name.',
    example: 'Tone of answers in May',
  })
  name?: string;

  @SchemaField(RUBRIC, {
    optional: true,
    description:
      'A new rubric of the first question. It can only change while nothing in the queue has been answered or skipped.',
  })
  rubric?: Rubric;

  @SchemaField(QUESTIONS, {
    optional: true,
    nullable: true,
    description:
      'In place of all questions, with their columns and scores. Like `rubric`, it is refused after an answer.',
  })
  questions?: QuestionBody[] | null;

  @EnumField(QUEUE_STATES, {
    optional: true,
    description: 'A closed queue hands out no items and takes no answers. It can be opened again.',
  })
  state?: QueueState;
}

@Closed()
export class AddReviewItemsRequest {
  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_ID,
    maxItems: MOST_ITEMS,
    description: 'Indexes of rows, for a queue of rows. Those that do not exist are ignored, as are unknown ids below.',
    example: [0],
  })
  row_indices?: number[] | null;

  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    maxItems: MOST_ITEMS,
    description: 'Ids of request logs, for a queue of requests.',
  })
  request_log_ids?: number[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MOST_ITEMS,
    description: 'Ids of traces, for a queue of traces.',
  })
  trace_ids?: string[] | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    like: 'ReviewFilterGroup',
    description:
      'Instead of ids: a filter as in the search of requests or traces, or the `filter` of rows of the sheet. `{filters: []}` selects everything.',
  })
  filter_group?: JsonObject | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 10_000,
    description: 'Instead of ids: words, as in the search of requests or traces.',
  })
  q?: string | null;

  @ListField('uuid', {
    optional: true,
    nullable: true,
    minItems: 2,
    maxItems: MOST_JUDGES,
    description:
      'Only rows to which these columns give different scores: where judges disagree. Rows without a score in one of them count by the others.',
  })
  disagreeing_column_ids?: string[] | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MOST_ITEMS,
    default: MOST_ITEMS,
    description: 'The largest number of items. Requests and traces are taken newest first, rows by their index.',
  })
  limit?: number | null;
}

export class ReviewCountsBody {
  @IntegerField({ description: 'Items of the queue, including those that no longer exist.' })
  items: number;

  @IntegerField({ description: 'Items that some but not all of their reviewers have answered.' })
  begun: number;

  @IntegerField({ description: 'Items with a result.' })
  finished: number;

  @IntegerField({ description: 'Items about which the reviewers disagree. They need a decision.' })
  disagreements: number;

  @IntegerField({ description: 'Items that are being answered now.' })
  leased: number;
}

export class ReviewQueueBody {
  @UuidField({ description: 'The id of the review queue.' })
  id: string;

  @TextField({ description: 'The name of the queue.' })
  name: string;

  @EnumField(SUBJECTS, { description: 'Kind of the items.' })
  subject: Subject;

  @UuidField({ nullable: true, description: 'The table of the sheet; null when it was deleted, and without a sheet.' })
  table_id: string | null;

  @UuidField({ nullable: true, description: 'The sheet of the rows; null for requests and traces.' })
  sheet_id: string | null;

  @SchemaField(RUBRIC, { description: RUBRIC_HELP })
  rubric: Rubric;

  @SchemaField(QUESTIONS, {
    description:
      'All questions. `rubric`, the columns and the score of the queue are those of the first one; without a name it is called `answer`.',
  })
  questions: QuestionBody[];

  @IntegerField({ description: 'How many people answer each item.' })
  reviewers_per_item: number;

  @EnumField(QUEUE_STATES, { description: 'Whether items can be answered.' })
  state: QueueState;

  @UuidField({ nullable: true, description: HUMAN_COLUMN })
  human_column_id: string | null;

  @UuidField({ nullable: true, description: JUDGE_COLUMN })
  judge_column_id: string | null;

  @TextField({ nullable: true, description: SCORE_NAME })
  score_name: string | null;

  @ApiProperty({ type: () => ReviewCountsBody, description: 'Numbers of items.' })
  counts: ReviewCountsBody;

  @IntegerField({ nullable: true, description: 'The API key or the member who created the queue.' })
  created_by: number | null;

  @CreatedAtField('review queue')
  created_at: string;

  @UpdatedAtField('review queue')
  updated_at: string;
}

export class OpenedReviewQueueBody extends ReviewQueueBody {
  @IntegerField({ description: 'Items that you have answered.' })
  answered_by_you: number;

  @IntegerField({ description: 'Items that you can still answer, including those that others are answering now.' })
  left_for_you: number;
}

export class ReviewQueueResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => OpenedReviewQueueBody, description: 'The queue.' })
  review_queue: OpenedReviewQueueBody;
}

export class ReviewQueuesResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ReviewQueueBody], description: 'The queues of the page, newest first.' })
  data: ReviewQueueBody[];
}

export class DeleteReviewQueueResponse {
  @SuccessField()
  success: true;
}

export class AddReviewItemsResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Items that were added.' })
  added_count: number;

  @IntegerField({ description: 'Selected items that the queue had already.' })
  known_count: number;
}

/** Throws a ValidationProblem and review_queue_inconsistent. */
export function toNewQueue(body: CreateReviewQueueRequest): NewReviewQueue {
  return {
    name: body.name,
    subject: body.subject,
    sheetId: body.sheet_id?.toLowerCase() ?? null,
    reviewersPerItem: body.reviewers_per_item ?? 1,
    ...toAsked(body),
  };
}

/** Throws review_queue_inconsistent. */
export function toQueueChange({ name, rubric, questions, state }: UpdateReviewQueueRequest): QueueChange {
  refuseBoth({ rubric, questions });
  return { name, rubric, questions: questions?.map(toQuestion), state };
}

export function toSelection(body: AddReviewItemsRequest): ItemSelection {
  return {
    rowIndices: body.row_indices ?? null,
    requestIds: body.request_log_ids ?? null,
    traceIds: body.trace_ids ?? null,
    filterGroup: body.filter_group ?? null,
    q: body.q ?? null,
    disagreeing: body.disagreeing_column_ids ?? null,
    limit: body.limit ?? MOST_ITEMS,
  };
}

export function toQueueBody(queue: CountedQueue): ReviewQueueBody {
  return {
    id: queue.id,
    name: queue.name,
    subject: queue.subject,
    table_id: queue.tableId,
    sheet_id: queue.sheetId,
    rubric: queue.rubric,
    questions: questionsOf(queue).map(toQuestionBody),
    reviewers_per_item: queue.reviewersPerItem,
    state: queue.state,
    human_column_id: queue.humanColumnId,
    judge_column_id: queue.judgeColumnId,
    score_name: queue.scoreName,
    counts: queue.counts,
    created_by: queue.createdBy,
    created_at: queue.createdAt.toISOString(),
    updated_at: queue.updatedAt.toISOString(),
  };
}

export const toQueueResponse = (queue: OpenedQueue): ReviewQueueResponse => ({
  success: true,
  review_queue: { ...toQueueBody(queue), answered_by_you: queue.own.answered, left_for_you: queue.own.left },
});
