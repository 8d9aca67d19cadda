import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
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
import { field } from '../../platform/http/field.js';
import { LimitField } from '../../platform/http/list.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { Thresholds } from './scorecard-config.js';
import { STALE_REASONS } from './stale-state.js';
import { VERDICTS } from './verdicts.js';
import { ReuseField } from '../operations/reuse-field.js';

const MAX_ROWS = 100_000;
const MAX_STEPS = 100;

/** Some rows and steps. Refuses unknown keys. */
@Closed()
export class CalculationScopeRequest {
  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_ID,
    maxItems: MAX_ROWS,
    description: 'Left out: all rows. The results of the others stay.',
    example: [0, 1],
  })
  row_indices?: number[] | null;

  @ListField('uuid', {
    optional: true,
    nullable: true,
    maxItems: MAX_STEPS,
    description: 'Left out: all steps. The results of the others stay.',
  })
  step_ids?: string[] | null;
}

export class RecalculateScorecardRequest extends CalculationScopeRequest {
  @ReuseField()
  reuse?: boolean | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description: 'Estimates the cells, tokens, cost and time of every step and starts nothing.',
  })
  dry_run?: boolean | null;
}

export class RecalculateScorecardResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  calculation_id: string;

  @EnumField(['queued', 'running', 'completed', 'failed', 'cancelled'])
  status: string;

  @IntegerField({ description: 'The version of the sheet.' })
  version: number;
}

export class CancelledScorecard {
  @UuidField()
  id: string;
}

export class CancelScorecardResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @ApiProperty({ type: () => CancelledScorecard })
  scorecard: CancelledScorecard;

  @IntegerField({ description: 'Cells that were taken back.' })
  cancelled_count: number;

  @ListField('uuid')
  execution_ids: string[];

  @UuidField({ nullable: true })
  calculation_id: string | null;
}

export class ThresholdsBody implements Thresholds {
  @NumberField({ description: 'A score of at least this passes.' })
  pass: number;

  @NumberField({ description: 'A score of at least this is a warning; any other fails.' })
  warn: number;
}

export class StaleStateBody {
  @BooleanField()
  is_stale: boolean;

  @ListField('string', {
    description: `Why the results are not those of today: ${STALE_REASONS.join(', ')}.`,
  })
  reasons: string[];

  @ListField('uuid')
  stale_step_ids: string[];

  @ListField('integer', {
    description: 'The first 1000 of the rows that would be scored otherwise, or were not scored.',
  })
  stale_row_indices: number[];
}

/** How a score differs from that of an earlier calculation. */
export class RowDrift {
  @NumberField({ nullable: true })
  previous_score: number | null;

  @NumberField({ nullable: true })
  score_delta: number | null;

  @EnumField(VERDICTS)
  previous_verdict: string;

  @BooleanField()
  verdict_changed: boolean;
}

export class CriterionDrift extends RowDrift {
  @IntegerField()
  improved_rows: number;

  @IntegerField()
  regressed_rows: number;
}

export class DriftSummary extends CriterionDrift {
  @UuidField()
  previous_calculation_id: string;
}

z.looseObject({
  top_values: z.array(z.looseObject({ count: z.int(), percentage: z.number() })).optional(),
}).meta({
  id: 'AggregatedValue',
  description: 'Of a step that is computed once per column: its `value`, its `label`, and the most frequent values.',
});

export class ConfidenceInterval {
  @NumberField()
  low: number;

  @NumberField()
  high: number;

  @NumberField({
    description: 'How sure the interval is to hold the score of all rows that could have been.',
    example: 0.95,
  })
  level: number;

  @EnumField(['wilson', 'hall', 'student_t', 'newcombe'], {
    description:
      "How it was found. wilson: for a share of rows that passed, and for scores that are all the same. hall: for any other mean or difference, by Student's t with Hall's correction for skewed scores. Results from before may say student_t and newcombe.",
  })
  method: string;
}

/** How well a score is known. */
export class ScoreEstimateBody {
  @IntegerField({ nullable: true, description: 'Rows that count; null for what is computed once per column.' })
  n: number | null;

  @NumberField({ nullable: true })
  standard_error: number | null;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ConfidenceInterval' }], nullable: true })
  confidence_interval: ConfidenceInterval | null;
}

/** How steady a judge is. */
export class FlipRateBody {
  @IntegerField({ description: 'Questions that were judged several times, in all rows.' })
  rows: number;

  @IntegerField({ description: 'Those of them whose judgements are not all the same.' })
  flipped: number;

  @NumberField({ nullable: true, description: 'Their share.' })
  rate: number | null;

  @NumberField({ nullable: true, description: 'How probable it is that two judgements of one question differ.' })
  disagreement: number | null;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ConfidenceInterval' }], nullable: true })
  confidence_interval: ConfidenceInterval | null;
}

export class CriterionSummary extends ScoreEstimateBody {
  @UuidField()
  step_id: string;

  @TextField()
  title: string;

  @TextField()
  primitive_type: string;

  @NumberField({
    nullable: true,
    description: 'The mean of the rows that count; what could not be computed counts as 0.',
  })
  score: number | null;

  @EnumField(VERDICTS)
  verdict: string;

  @NumberField()
  weight: number;

  @BooleanField()
  required: boolean;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ThresholdsBody' }] })
  thresholds: ThresholdsBody;

  @IntegerField()
  pass_count: number;

  @IntegerField()
  warn_count: number;

  @IntegerField()
  fail_count: number;

  @IntegerField()
  error_count: number;

  @IntegerField()
  skipped_count: number;

  @IntegerField()
  total_count: number;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/FlipRateBody' }],
    nullable: true,
    description: 'null where nothing was judged several times.',
  })
  flip_rate: FlipRateBody | null;

  @JsonField({ optional: true, like: 'AggregatedValue' })
  value?: JsonValue;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/CriterionDrift' }], nullable: true })
  drift_summary: CriterionDrift | null;
}

const summaries = {
  type: 'object' as const,
  additionalProperties: { $ref: '#/components/schemas/CriterionSummary' },
  description: 'What each step found over all rows, by step id.',
};
const drift = { oneOf: [{ $ref: '#/components/schemas/DriftSummary' }], nullable: true };

export class CalculationBody extends ScoreEstimateBody {
  @UuidField()
  id: string;

  @UuidField()
  scorecard_id: string;

  @IntegerField()
  workspace_id: number;

  @UuidField()
  sheet_id: string;

  @TextField({ description: 'The version of the sheet that was scored.', example: '12' })
  sheet_revision: string;

  @IntegerField({ description: 'The same as a number.' })
  version: number;

  @EnumField(['queued', 'running', 'completed', 'failed', 'cancelled'])
  status: string;

  @NumberField({ nullable: true, description: 'From 0 to 1; null when nothing was scored.' })
  aggregate_score: number | null;

  @EnumField(VERDICTS, { nullable: true })
  aggregate_verdict: string | null;

  @ApiProperty(summaries)
  criterion_summaries: Record<string, CriterionSummary>;

  @ApiProperty({ ...drift, description: 'null when there is no earlier calculation.' })
  drift_summary: DriftSummary | null;

  @TextField({ nullable: true })
  config_hash: string | null;

  @UuidField({
    nullable: true,
    description: 'The operation that computes the cells; null when there were none to compute.',
  })
  execution_id: string | null;

  @IntegerField()
  row_count: number;

  @IntegerField({ nullable: true })
  completed_row_count: number | null;

  @IntegerField({ nullable: true, description: 'Rows in which every step failed.' })
  failed_row_count: number | null;

  @IntegerField({
    nullable: true,
    description:
      'Cells of steps that have the result of an earlier cell with the same inputs; null until it has completed, and in calculations from before this was counted.',
  })
  reused_cell_count: number | null;

  @DateTimeField({ nullable: true })
  started_at: string | null;

  @DateTimeField({ nullable: true })
  completed_at: string | null;

  @TextField({ nullable: true })
  error_summary: string | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class CalculationPath extends SheetPath {
  @UuidField({ query: true })
  calculation_id: string;
}

export class CalculationResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => CalculationBody })
  calculation: CalculationBody;

  @ApiProperty({ ...summaries, nullable: true })
  criterion_summaries: Record<string, CriterionSummary> | null;

  @ApiProperty(drift)
  drift_summary: DriftSummary | null;
}

export class ScorecardRowsQuery {
  @UuidField({ optional: true, query: true, description: 'Left out: the newest calculation that completed.' })
  calculation_id?: string;

  @TextField({
    optional: true,
    query: true,
    description: `Only rows with this verdict: ${VERDICTS.join(', ')}. Several are separated by commas.`,
    example: 'fail',
  })
  verdict?: string;

  @UuidField({ optional: true, query: true, description: 'The verdict is that of this step, not of the row.' })
  step_id?: string;

  @field(
    {
      optional: true,
      query: true,
      description: 'The row after which the page begins: `next_cursor` of the page before.',
    },
    {
      validators: [IsString()],
      schema: {
        oneOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: '^\\d+$' },
        ],
      },
    },
  )
  cursor?: string;

  @LimitField(50)
  limit?: number;
}

export class RowSummaryBody {
  @IntegerField()
  row_index: number;

  @NumberField({ nullable: true })
  aggregate_score: number | null;

  @EnumField(VERDICTS, { nullable: true })
  aggregate_verdict: string | null;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/RowDrift' }], nullable: true })
  drift_summary: RowDrift | null;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/StaleStateBody' }], nullable: true })
  stale_state: StaleStateBody | null;

  @TextField({ nullable: true })
  error_summary: string | null;
}

export class ScorecardRowsResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField({ nullable: true })
  calculation_id: string | null;

  @ApiProperty({ type: () => [RowSummaryBody] })
  rows: RowSummaryBody[];

  @IntegerField({ nullable: true })
  next_cursor: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Rows of the whole calculation by verdict, whatever the filter; empty when there is no calculation.',
  })
  verdict_counts: Record<string, number>;
}

export class ScorecardRowPath extends SheetPath {
  @IntegerField({ query: true, min: 0, max: MAX_ID })
  row_index: number;
}

export class ScorecardRowQuery {
  @UuidField({ optional: true, query: true, description: 'Left out: the newest calculation that completed.' })
  calculation_id?: string;
}

export class RowResultResponse extends RowSummaryBody {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  id: string;

  @UuidField()
  calculation_id: string;

  @UuidField()
  scorecard_id: string;

  @UuidField()
  sheet_id: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/StepResultBody' },
    description: 'By step id, without steps that are computed once per column.',
  })
  step_results: Record<string, JsonObject>;

  @TextField({ nullable: true })
  config_hash: string | null;

  @TextField({ nullable: true, description: 'Changes with what the steps were computed from.' })
  input_hash: string | null;

  @DateTimeField({ nullable: true })
  computed_at: string | null;
}
