import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  ListField,
  MAX_ID,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { NullableComponentField } from '../shared/component-field.js';
import {
  SHEET_ID,
  CONFIDENCE_INTERVAL,
  CALCULATION_STATUS,
  STEP_TYPE,
  STEP_WEIGHT,
} from '../shared/field-descriptions.js';
import {
  BodyFlagField,
  CreatedAtField,
  MessageField,
  SuccessField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonValue } from '../../platform/json.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { Thresholds } from './scorecard-config.js';
import { STALE_REASONS } from './stale-state.js';
import { VERDICTS } from './verdicts.js';
import { ReuseField } from '../operations/reuse-field.js';

const MAX_ROWS = 100_000;
const MAX_STEPS = 100;

/** Some rows and steps. Rejects unknown keys. */
@Closed()
export class CalculationScopeRequest {
  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_ID,
    maxItems: MAX_ROWS,
    description: 'Indexes of the rows to calculate; the results of all others stay. Default: all rows.',
    example: [0, 1],
  })
  row_indices?: number[] | null;

  @ListField('uuid', {
    optional: true,
    nullable: true,
    maxItems: MAX_STEPS,
    description: 'Ids of the steps to calculate; the results of all others stay. Default: all steps.',
  })
  step_ids?: string[] | null;
}

export class RecalculateScorecardRequest extends CalculationScopeRequest {
  @ReuseField()
  reuse?: boolean | null;

  @BodyFlagField('Estimates the cells, tokens, cost and time of every step and starts nothing.')
  dry_run?: boolean | null;
}

export class RecalculateScorecardResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: 'Id of the new calculation. GET of the scorecard has it as `latest_calculation` at once.' })
  calculation_id: string;

  @EnumField(['queued', 'running', 'completed', 'failed', 'cancelled'], {
    description: 'Always `queued` in this answer.',
  })
  status: string;

  @IntegerField({ description: 'The version of the sheet that is scored.' })
  version: number;
}

export class CancelledScorecard {
  @UuidField({ description: 'Id of the scorecard.' })
  id: string;
}

export class CancelScorecardResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @ApiProperty({ type: () => CancelledScorecard, description: 'The scorecard whose calculation was cancelled.' })
  scorecard: CancelledScorecard;

  @IntegerField({ description: 'Number of cells whose computation was cancelled.' })
  cancelled_count: number;

  @ListField('uuid', {
    description: 'The operation that computed the cells of the calculation; empty when there was none.',
  })
  execution_ids: string[];

  @UuidField({
    nullable: true,
    description: 'Id of the cancelled calculation; null when nothing was being calculated.',
  })
  calculation_id: string | null;
}

export class ThresholdsBody implements Thresholds {
  @NumberField({ description: 'Scores of at least this pass, from 0 to 1.' })
  pass: number;

  @NumberField({ description: 'Lower scores of at least this get a warning, from 0 to 1; all others fail.' })
  warn: number;
}

export class StaleStateBody {
  @BooleanField({ description: 'Whether the results differ from what a new calculation would be based on.' })
  is_stale: boolean;

  @ListField('string', {
    description: `Why the results are out of date: any of ${STALE_REASONS.join(', ')}.`,
  })
  reasons: string[];

  @ListField('uuid', {
    description: 'Ids of the steps that were changed or added since; empty in the state of a single row.',
  })
  stale_step_ids: string[];

  @ListField('integer', {
    description: 'Indexes of the rows that would be scored differently or were not scored: the first 1,000.',
  })
  stale_row_indices: number[];
}

/** The difference of a score from that of an earlier calculation. */
export class RowDrift {
  @NumberField({
    nullable: true,
    description: 'The score in the earlier calculation, from 0 to 1; null when it had none.',
  })
  previous_score: number | null;

  @NumberField({ nullable: true, description: 'This score minus the previous one; null when one of them is missing.' })
  score_delta: number | null;

  @EnumField(VERDICTS, { description: 'The verdict in the earlier calculation.' })
  previous_verdict: string;

  @BooleanField({ description: 'Whether the verdict differs from the previous one.' })
  verdict_changed: boolean;
}

export class CriterionDrift extends RowDrift {
  @IntegerField({ description: 'Number of rows whose score is higher than in the earlier calculation.' })
  improved_rows: number;

  @IntegerField({ description: 'Number of rows whose score is lower than in the earlier calculation.' })
  regressed_rows: number;
}

export class DriftSummary extends CriterionDrift {
  @UuidField({
    description:
      'Id of the calculation that this one is compared with: the baseline, or else the one completed before.',
  })
  previous_calculation_id: string;
}

z.looseObject({
  top_values: z
    .array(
      z.looseObject({
        count: z.int().meta({ description: 'Number of cells with the value.' }),
        percentage: z.number().meta({ description: 'Their share of all cells that have a value, from 0 to 100.' }),
      }),
    )
    .optional()
    .meta({ description: 'Up to ten values, the most frequent first.' }),
}).meta({
  id: 'AggregatedValue',
  description:
    'Result of a step that is computed once per column: its `value`, its `label` and the most frequent values.',
});

export class ConfidenceInterval {
  @NumberField({ description: 'Lower end of the interval, on the scale of the score or difference.' })
  low: number;

  @NumberField({ description: 'Upper end of the interval, on the same scale.' })
  high: number;

  @NumberField({
    description: 'Confidence level of the interval.',
    example: 0.95,
  })
  level: number;

  @EnumField(['wilson', 'hall', 'student_t', 'newcombe'], {
    description:
      "How the interval is calculated. `wilson`: for a share of rows that passed, and for scores that are all the same. `hall`: for any other mean or difference, by Student's t with Hall's correction for skewed scores. Results of earlier releases may have `student_t` and `newcombe`.",
  })
  method: string;
}

/** The uncertainty of a score. */
export class ScoreEstimateBody {
  @IntegerField({
    nullable: true,
    description: 'Number of rows that count; null for steps that are computed once per column.',
  })
  n: number | null;

  @NumberField({ nullable: true, description: 'Standard error of the score; null when there are too few rows.' })
  standard_error: number | null;

  @NullableComponentField('ConfidenceInterval', CONFIDENCE_INTERVAL)
  confidence_interval: ConfidenceInterval | null;
}

/** The consistency of a judge. */
export class FlipRateBody {
  @IntegerField({ description: 'Number of questions that were judged several times, over all rows.' })
  rows: number;

  @IntegerField({ description: 'Number of these questions with judgements that differ.' })
  flipped: number;

  @NumberField({
    nullable: true,
    description:
      'Share of these questions with judgements that differ, from 0 to 1; null when no question was judged several times.',
  })
  rate: number | null;

  @NumberField({
    nullable: true,
    description:
      'Probability that two judgements of one question differ, from 0 to 1; null when no question was judged several times.',
  })
  disagreement: number | null;

  @NullableComponentField(
    'ConfidenceInterval',
    'Confidence interval of the flip rate; null when nothing was judged several times.',
  )
  confidence_interval: ConfidenceInterval | null;
}

export class CriterionSummary extends ScoreEstimateBody {
  @UuidField({ description: 'Id of the step.' })
  step_id: string;

  @TextField({ description: 'Title of the step in this calculation.' })
  title: string;

  @TextField({ description: STEP_TYPE })
  primitive_type: string;

  @NumberField({
    nullable: true,
    description:
      'Mean score of the rows that count, from 0 to 1. Rows in which the step could not be computed count as 0.',
  })
  score: number | null;

  @EnumField(VERDICTS, {
    description: 'The verdict on the score by the thresholds of the step; `skipped` when nothing was scored.',
  })
  verdict: string;

  @NumberField({ description: STEP_WEIGHT })
  weight: number;

  @BooleanField({ description: 'Whether a failure decides the verdict over all steps, as the aggregation says.' })
  required: boolean;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/ThresholdsBody' }],
    description: 'Thresholds of the step.',
  })
  thresholds: ThresholdsBody;

  @IntegerField({ description: 'Number of rows that passed.' })
  pass_count: number;

  @IntegerField({ description: 'Number of rows with a warning.' })
  warn_count: number;

  @IntegerField({ description: 'Number of rows that failed.' })
  fail_count: number;

  @IntegerField({ description: 'Number of rows in which the step could not be computed.' })
  error_count: number;

  @IntegerField({ description: 'Number of rows in which nothing was scored, such as blank rows.' })
  skipped_count: number;

  @IntegerField({ description: 'Sum of the counts.' })
  total_count: number;

  @NullableComponentField('FlipRateBody', 'Consistency of the judge; null when no question was judged several times.')
  flip_rate: FlipRateBody | null;

  @JsonField({
    optional: true,
    like: 'AggregatedValue',
    description: 'The result of a step that is computed once per column; absent for all others.',
  })
  value?: JsonValue;

  @NullableComponentField(
    'CriterionDrift',
    'How the score of the step differs from the earlier calculation; null without one.',
  )
  drift_summary: CriterionDrift | null;
}

const summaries = {
  type: 'object' as const,
  additionalProperties: { $ref: '#/components/schemas/CriterionSummary' },
  description: 'Results of the steps over all rows, by step id; none until the calculation has completed.',
};
const DriftField = () =>
  NullableComponentField(
    'DriftSummary',
    'How the score differs from that of an earlier calculation; null when there is none.',
  );

export class CalculationBody extends ScoreEstimateBody {
  @UuidField({ description: 'Id of the calculation.' })
  id: string;

  @UuidField({ description: 'Id of the scorecard.' })
  scorecard_id: string;

  @WorkspaceIdField()
  workspace_id: number;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @TextField({ description: 'Number of the sheet version that was scored, as text.', example: '12' })
  sheet_revision: string;

  @IntegerField({ description: 'Number of the sheet version that was scored.' })
  version: number;

  @EnumField(['queued', 'running', 'completed', 'failed', 'cancelled'], { description: CALCULATION_STATUS })
  status: string;

  @NumberField({
    nullable: true,
    description:
      'The score of the sheet, from 0 to 1; null when nothing was scored, and until the calculation has completed.',
  })
  aggregate_score: number | null;

  @EnumField(VERDICTS, {
    nullable: true,
    description:
      'The verdict on the score by the thresholds of the scorecard; null until the calculation has completed.',
  })
  aggregate_verdict: string | null;

  @ApiProperty(summaries)
  criterion_summaries: Record<string, CriterionSummary>;

  @DriftField()
  drift_summary: DriftSummary | null;

  @TextField({
    nullable: true,
    description:
      'Changes with everything that the scores depend on besides cells: compare it with that of the scorecard.',
  })
  config_hash: string | null;

  @UuidField({
    nullable: true,
    description: 'Id of the operation that computes the cells; null when there were none to compute.',
  })
  execution_id: string | null;

  @IntegerField({ description: 'Number of rows in the sheet when the calculation began.' })
  row_count: number;

  @IntegerField({
    nullable: true,
    description: 'Number of rows without an error; null until the calculation has completed.',
  })
  completed_row_count: number | null;

  @IntegerField({
    nullable: true,
    description: 'Number of rows in which every step failed to compute; null until the calculation has completed.',
  })
  failed_row_count: number | null;

  @IntegerField({
    nullable: true,
    description:
      'Cells of steps that have the result of an earlier cell with the same inputs; null until it has completed, and in calculations from before this was counted.',
  })
  reused_cell_count: number | null;

  @DateTimeField({ nullable: true, description: 'When the calculation was started, in UTC; null while it is queued.' })
  started_at: string | null;

  @DateTimeField({ nullable: true, description: 'When the calculation ended, in UTC; null while it goes on.' })
  completed_at: string | null;

  @TextField({ nullable: true, description: 'Why the calculation failed or ended early; null when it did not.' })
  error_summary: string | null;

  @CreatedAtField('the calculation')
  created_at: string;

  @DateTimeField({ description: 'When the calculation ended, in UTC; while it goes on, when it was started.' })
  updated_at: string;
}

export class CalculationPath extends SheetPath {
  @UuidField({
    query: true,
    description: 'Id of the calculation, from the answer that started it or from the scorecard.',
  })
  calculation_id: string;
}

export class CalculationResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => CalculationBody, description: 'The calculation.' })
  calculation: CalculationBody;

  @ApiProperty({ ...summaries, nullable: true })
  criterion_summaries: Record<string, CriterionSummary> | null;

  @DriftField()
  drift_summary: DriftSummary | null;
}
