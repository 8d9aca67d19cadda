import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { SuccessField } from '../platform/http/common-fields.js';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  ListField,
  TextField,
  UuidField,
} from '../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../platform/http/list.js';
import { SchemaField } from '../platform/http/schema-field.js';
import { Closed } from '../platform/http/validation.pipe.js';
import type { JsonValue } from '../platform/json.js';
import { asText } from '../grid/column-type/values.js';
import type { AnsweredItem, NewAnswer } from './review-answers.service.js';
import { ITEM_STATES, type ItemState } from './review-item.entity.js';
import type { GivenAnswer } from './review-items.queries.js';
import type { ShownItem } from './review-items.service.js';
import { ANSWERS, answerTo } from './questions.js';
import { ReviewQueuePath } from './reviews.dto.js';
import { ANSWER, type Answer, type Answers } from './rubric.js';
import type { GivenValues } from './given-values.js';

const LONGEST_COMMENT = 10_000;
const DIFFERENCES = ['reviewers', 'judge'] as const;

export class ReviewItemPath extends ReviewQueuePath {
  @UuidField({ query: true, description: 'The id of the item, which is not the id of what is reviewed.' })
  review_item_id: string;
}

@Closed()
export class ListReviewItemsQuery extends CursorQuery {
  @EnumField(ITEM_STATES, { optional: true, query: true, description: 'Only items in this state.' })
  state?: ItemState;

  @EnumField(DIFFERENCES, {
    optional: true,
    query: true,
    description:
      '`reviewers`: only items that all reviewers have answered, not all alike. `judge`: only items with a result that differs from the value of the judge. One of several questions is enough.',
  })
  differs?: (typeof DIFFERENCES)[number];

  @LimitField(20)
  limit?: number;

  @OrderField('asc')
  order?: Order;
}

@Closed()
export class ReviewAnswerRequest {
  @SchemaField(ANSWER, {
    optional: true,
    nullable: true,
    description: 'One of the answers of the rubric: the answer to the first question. Required without `answers`.',
    example: 4,
  })
  answer?: Answer | null;

  @SchemaField(ANSWERS, {
    optional: true,
    nullable: true,
    description:
      'In place of `answer`: the answers to all questions, by name. Required questions must be there; all together replace an earlier answer.',
  })
  answers?: Answers | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: LONGEST_COMMENT,
    description: 'A comment, for people and for examples of a judge.',
    example: 'Polite, but does not name the policy.',
  })
  comment?: string | null;
}

@Closed()
export class DecideReviewItemRequest {
  @SchemaField(ANSWER, {
    optional: true,
    nullable: true,
    description: 'The result of the first question: one of the answers of the rubric. Required without `answers`.',
    example: 4,
  })
  answer?: Answer | null;

  @SchemaField(ANSWERS, {
    optional: true,
    nullable: true,
    description: 'In place of `answer`: results of questions about which the reviewers disagree, by name.',
  })
  answers?: Answers | null;
}

export class ReviewAnswerBody {
  @TextField({ nullable: true, description: 'The name of the reviewer now; null when the key is gone.' })
  reviewer_name: string | null;

  @BooleanField({ description: 'Whether it is your answer.' })
  is_yours: boolean;

  @SchemaField(ANSWER, { description: 'The answer to the first question.' })
  answer: Answer;

  @SchemaField(ANSWERS, { description: 'The answers to all questions that were answered, by name.' })
  answers: Answers;

  @TextField({ nullable: true, description: 'The comment of the reviewer.' })
  comment: string | null;

  @BooleanField({
    description:
      'Whether the answer was changed, or given after an answer was withdrawn, when the reviewer could see another answer or that of a judge.',
  })
  revised: boolean;

  @DateTimeField({ description: 'When it was given or last changed, in UTC.' })
  answered_at: string;
}

export class ReviewItemBody {
  @UuidField({ description: 'The id of the item.' })
  id: string;

  @IntegerField({ description: 'The place of the item in its queue, ascending in the order of adding.' })
  position: number;

  @TextField({ description: 'The index of the row, or the id of the request or trace, as text.' })
  subject_id: string;

  @BooleanField({
    description:
      'Whether the row, request or trace was deleted. Such an item is given to nobody, and shows no comments.',
  })
  is_gone: boolean;

  @EnumField(ITEM_STATES, {
    description:
      '`open` until all reviewers have answered; then `finished`, or `disagreement` until somebody decides every question about which they disagree.',
  })
  state: ItemState;

  @SchemaField(ANSWER, {
    nullable: true,
    description:
      'The answer of most reviewers to the first question. On a scale, answers that lie at most one apart give their mean. Null without a result.',
  })
  result: Answer | null;

  @SchemaField(ANSWERS, { description: 'The results of all questions that have one, by name.' })
  results: Answers;

  @ListField('string', {
    description: 'The questions about which the reviewers disagree, by name, also after somebody has decided them.',
  })
  disagreements: string[];

  @IntegerField({ nullable: true, description: 'The API key or the member who decided about a disagreement.' })
  decided_by: number | null;

  @DateTimeField({ nullable: true, description: 'Until when the item is kept for a reviewer; null when it is free.' })
  leased_until: string | null;

  @ApiProperty({
    type: () => [ReviewAnswerBody],
    nullable: true,
    description:
      'The answers. Null while you could still answer the item, so that nobody knows the answers of others before the own one.',
  })
  answers: ReviewAnswerBody[] | null;

  @TextField({
    nullable: true,
    description: 'The value of the judge of the first question now, as text. Null like `answers`, and without a value.',
  })
  judge: string | null;

  @SchemaField(z.record(z.string(), z.string()), {
    description: 'The values of the judges of all questions that have one now, by name. Empty where `answers` is null.',
  })
  judges: Record<string, string>;
}

export class ReviewItemResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ReviewItemBody, description: 'The item.' })
  item: ReviewItemBody;
}

export class NextReviewItemResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => ReviewItemBody,
    nullable: true,
    description: 'An item that is kept for you until `leased_until`; null when none is left for you.',
  })
  item: ReviewItemBody | null;
}

export class AnsweredItemResponse extends ReviewItemResponse {
  @TextField({
    nullable: true,
    description: 'Why a result could not be written into its cell of the sheet; null otherwise.',
  })
  result_problem: string | null;
}

export class ReviewItemsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [ReviewItemBody], description: 'The items of the page, in the order of the queue.' })
  data: ReviewItemBody[];
}

export function toItemBody(item: ShownItem, reviewer: string): ReviewItemBody {
  const { leasedUntil, questions, results } = item;
  const judges = Object.entries(item.judges).flatMap(([name, value]) => textsOf(name, value));
  const first = questions[0].name;
  const judge = item.judges[first] ?? null;
  const isLeased = leasedUntil !== null && leasedUntil.getTime() > Date.now();
  return {
    id: item.id,
    position: item.ordinal,
    subject_id: item.subjectId,
    is_gone: !item.exists,
    state: item.state,
    result: answerTo(results, first),
    results,
    disagreements: [...item.disagreeing],
    decided_by: item.decidedBy,
    leased_until: isLeased ? leasedUntil.toISOString() : null,
    answers: item.isOpenToSee ? item.answers.map((answer) => toAnswerBody(item, answer, reviewer)) : null,
    judge: judge === null ? null : asText(judge),
    judges: Object.fromEntries(judges),
  };
}

const textsOf = (name: string, value: JsonValue): [string, string][] => (value === null ? [] : [[name, asText(value)]]);

function toAnswerBody({ exists, questions }: ShownItem, given: GivenAnswer, reviewer: string): ReviewAnswerBody {
  return {
    reviewer_name: given.name,
    is_yours: given.reviewer === reviewer,
    answer: answerTo(given.answers, questions[0].name)!,
    answers: given.answers,
    // A comment may quote the deleted item.
    comment: exists ? given.comment : null,
    revised: given.revised,
    answered_at: new Date(given.answeredAt).toISOString(),
  };
}

export const toGivenValues = ({ answer, answers }: DecideReviewItemRequest): GivenValues => ({
  answer: answer ?? null,
  answers: answers ?? null,
});

export const toNewAnswer = ({ comment, ...body }: ReviewAnswerRequest): NewAnswer => ({
  ...toGivenValues(body),
  comment: comment?.trim() ? comment : null,
});

export const toAnsweredResponse = (item: AnsweredItem, reviewer: string): AnsweredItemResponse => ({
  success: true,
  item: toItemBody(item, reviewer),
  result_problem: item.resultProblem,
});
