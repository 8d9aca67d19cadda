import { ApiProperty } from '@nestjs/swagger';
import { SuccessField } from '../platform/http/common-fields.js';
import { EnumField, IntegerField, ListField, NumberField, TextField, UuidField } from '../platform/http/fields.js';
import { SchemaField } from '../platform/http/schema-field.js';
import type { Agreement, JudgeAgreement, QuestionAgreement, ReviewersAgreement } from './agreement.service.js';
import type { FewShot } from './few-shot.service.js';
import { ANSWER, type Answer } from './rubric.js';
import { UNKNOWN_REASONS, type UnknownReason } from './statistics/kappa.js';

const MOST_EXAMPLES = 20;

export class AgreementInterval {
  @NumberField({ description: 'The lower end.' })
  low: number;

  @NumberField({ description: 'The upper end.' })
  high: number;

  @NumberField({ description: 'How often such an interval holds the true value: 0.95.' })
  level: number;
}

class AgreementFields {
  @IntegerField({ description: 'Items that both have answered.' })
  item_count: number;

  @NumberField({ nullable: true, description: 'The share of items with the same answer; null without items.' })
  agreement: number | null;

  @ApiProperty({
    type: () => AgreementInterval,
    nullable: true,
    description: 'The interval of the share, by Wilson.',
  })
  agreement_interval: AgreementInterval | null;

  @NumberField({
    nullable: true,
    description:
      "Cohen's kappa: 1 for perfect agreement, 0 for as much as chance gives. Null when it says nothing, see `kappa_reason`.",
  })
  kappa: number | null;

  @ApiProperty({
    type: () => AgreementInterval,
    nullable: true,
    description: 'The interval of kappa, by the standard error of Fleiss, Cohen and Everitt for large samples.',
  })
  kappa_interval: AgreementInterval | null;

  @EnumField(UNKNOWN_REASONS, {
    nullable: true,
    description:
      'Why there is no kappa or no interval: `no_pairs`, `one_category` (one of the two has always given the same answer) or `no_variation` (all pairs agree, or none). Null otherwise.',
  })
  kappa_reason: UnknownReason | null;
}

export class ReviewersAgreementBody extends AgreementFields {
  @ListField('string', { description: 'The names of the two; empty texts for keys that are gone.' })
  reviewer_names: string[];

  @IntegerField({
    description:
      'Items in which an answer of one of the two, to any question, is `revised`: changed or given when others could be seen.',
  })
  revised_count: number;
}

export class JudgeAgreementBody extends AgreementFields {
  @IntegerField({ description: "The version of the judge: its column's settings, counted from 1." })
  judge_version: number;

  @IntegerField({ description: 'The first version of the sheet with these settings.' })
  sheet_version_from: number;

  @IntegerField({ description: 'The last version of the sheet with these settings, whose values are compared.' })
  sheet_version_to: number;

  @IntegerField({ description: 'Items whose value of the judge is none of the answers. They are not compared.' })
  unreadable_count: number;
}

class QuestionAgreementFields {
  @EnumField(['none', 'quadratic'], {
    description: '`quadratic` on scales: answers that lie close together agree in part. Otherwise `none`.',
  })
  weights: 'none' | 'quadratic';

  @ApiProperty({
    type: () => [ReviewersAgreementBody],
    description: 'Pairs of reviewers, at most 20, those with the most items in common first.',
  })
  reviewers: ReviewersAgreementBody[];

  @ApiProperty({
    type: () => [JudgeAgreementBody],
    description: 'The last ten versions of the judge against the results, the oldest first. Empty without a judge.',
  })
  judge_versions: JudgeAgreementBody[];
}

export class QuestionAgreementBody extends QuestionAgreementFields {
  @TextField({ description: 'The name of the question.' })
  name: string;
}

export class ReviewAgreementResponse extends QuestionAgreementFields {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [QuestionAgreementBody],
    description: 'The same for every question. What stands beside it is about the first one.',
  })
  questions: QuestionAgreementBody[];
}

export class FewShotQuery {
  @UuidField({
    optional: true,
    query: true,
    description:
      'The column with the texts of rows. Default: the first one that is neither the judge nor for the results.',
  })
  column_id?: string;

  @TextField({
    optional: true,
    query: true,
    maxLength: 100,
    description: 'The name of the question that the judge should answer. Default: the first one.',
  })
  question?: string;

  @IntegerField({
    optional: true,
    query: true,
    min: 1,
    max: MOST_EXAMPLES,
    default: 8,
    description: 'The largest number of examples.',
  })
  example_count?: number;
}

export class FewShotExampleBody {
  @UuidField({ description: 'The id of the item.' })
  item_id: string;

  @TextField({ description: 'The text of the row or the output of the request, at most 2,000 characters.' })
  text: string;

  @SchemaField(ANSWER, { description: 'The result of the question.' })
  answer: Answer;

  @TextField({ nullable: true, description: 'The comment of a reviewer who gave this answer.' })
  comment: string | null;
}

export class FewShotResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => [FewShotExampleBody], description: 'The examples, every answer in turn.' })
  examples: FewShotExampleBody[];

  @TextField({
    description: 'A question with these examples, for the `prompt` of a column of the type LLM_ASSERTION.',
  })
  prompt: string;
}

const toAgreementFields = ({ kappa, share }: Agreement): AgreementFields => ({
  item_count: kappa.n,
  agreement: share.value,
  agreement_interval: share.interval && toInterval(share.interval),
  kappa: kappa.value,
  kappa_interval: kappa.interval && toInterval(kappa.interval),
  kappa_reason: kappa.reason,
});

const toInterval = ({ low, high, level }: AgreementInterval): AgreementInterval => ({ low, high, level });

const toReviewersBody = (found: ReviewersAgreement): ReviewersAgreementBody => ({
  reviewer_names: found.reviewers.map((name) => name ?? ''),
  revised_count: found.revised,
  ...toAgreementFields(found),
});

const toJudgeBody = (found: JudgeAgreement): JudgeAgreementBody => ({
  judge_version: found.number,
  sheet_version_from: found.versionFrom,
  sheet_version_to: found.versionTo,
  unreadable_count: found.unreadable,
  ...toAgreementFields(found),
});

const toQuestionBody = ({ name, weights, pairs, judges }: QuestionAgreement): QuestionAgreementBody => ({
  name,
  weights,
  reviewers: pairs.map(toReviewersBody),
  judge_versions: judges.map(toJudgeBody),
});

export function toAgreementResponse(found: QuestionAgreement[]): ReviewAgreementResponse {
  const questions = found.map(toQuestionBody);
  const { name: _, ...first } = questions[0]!;
  return { success: true, ...first, questions };
}

export const toFewShotResponse = ({ examples, prompt }: FewShot): FewShotResponse => ({
  success: true,
  examples: examples.map(({ itemId, ...example }) => ({ item_id: itemId, ...example })),
  prompt,
});
