import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { NullableComponentField } from '../shared/component-field.js';
import { STEP_TYPE, STEP_WEIGHT } from '../shared/field-descriptions.js';
import { SuccessField, WorkspaceIdField, CreatedAtField, UpdatedAtField } from '../../platform/http/common-fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { EXAMPLE_IDS } from '../shared/example-ids.js';
import {
  AggregationSchema,
  BaselineSchema,
  FAILURE_BEHAVIOR,
  METHOD,
  PASS_THRESHOLD,
  WARN_THRESHOLD,
  type GivenAggregation,
  type GivenStep,
  StepsSchema,
} from './given-scorecard.js';
import { type Aggregation, AGGREGATION_METHODS, EVIDENCE_MODES, FAILURE_BEHAVIORS } from './scorecard-config.js';
import { VERDICTS } from './verdicts.js';
import {
  type CalculationBody,
  type CriterionSummary,
  type DriftSummary,
  type StaleStateBody,
  ThresholdsBody,
} from './calculations.dto.js';

const MAX_COLUMNS = 1000;

/** Rejects unknown keys. */
@Closed()
export class ConfigureScorecardRequest {
  @TextField({ minLength: 1, maxLength: 255, description: 'Name of the scorecard.', example: 'Answer quality' })
  name: string;

  @SchemaField(AggregationSchema, {
    description:
      'How the scores of steps become one, and which scores pass. Keys that are left out have their defaults.',
    example: { method: 'weighted_mean', pass_threshold: 0.8, warn_threshold: 0.6 },
  })
  aggregation: GivenAggregation;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_COLUMNS,
    description:
      'Titles or ids of the columns that the scorecard is about. They have no effect on scores: steps name the columns they read.',
  })
  evaluated_column_ids?: string[] | null;

  @SchemaField(StepsSchema, {
    optional: true,
    nullable: true,
    description:
      'The criteria, which replace the existing ones. A step with the id of an existing one changes that step; all others are new.',
    example: [
      {
        title: 'Says sorry',
        primitive_type: 'CONTAINS',
        primitive_config: { source: EXAMPLE_IDS.column_id, value: 'sorry' },
      },
    ],
  })
  steps?: GivenStep[] | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Kept for clients as it is given. It has no effect.',
  })
  display_config?: JsonObject | null;

  @SchemaField(BaselineSchema, {
    optional: true,
    nullable: true,
    description: 'The calculation that others are compared with. Default: the one that completed before.',
  })
  baseline_config?: JsonObject | null;
}

const AggregationBody = z
  .looseObject({
    method: z.enum(AGGREGATION_METHODS).meta({ description: METHOD }),
    required_step_failure_behavior: z.enum(FAILURE_BEHAVIORS).meta({ description: FAILURE_BEHAVIOR }),
    pass_threshold: z.number().meta({ description: PASS_THRESHOLD }),
    warn_threshold: z.number().meta({ description: WARN_THRESHOLD }),
  })
  .meta({
    id: 'ScorecardAggregation',
    description: 'How the scores of steps become one, and which scores pass.',
  });

export class ScoreAdapterBody {
  @EnumField(['linear'], { description: 'Always `linear`.' })
  type: 'linear';

  @NumberField({ description: 'The number with the score 0.' })
  min: number;

  @NumberField({ description: 'The number with the score 1.' })
  max: number;

  @BooleanField({ description: 'Whether `min` has the score 1 and `max` the score 0.' })
  invert: boolean;
}

export class ScorecardStepBody {
  @UuidField({
    description: 'Id of the step. Send it when you configure the scorecard again, or the step is a new one.',
  })
  id: string;

  @TextField({ description: 'Title of the step, for people.' })
  title: string;

  @TextField({ description: STEP_TYPE })
  primitive_type: string;

  @JsonObjectField({ description: 'The config that a column of this type has, as it was given.' })
  primitive_config: JsonObject;

  @ListField('uuid', { description: 'The columns that the step depends on.' })
  source_column_ids: string[];

  @NumberField({ description: STEP_WEIGHT })
  weight: number;

  @BooleanField({ description: 'Whether a failure decides the verdict over all steps, as the aggregation says.' })
  required: boolean;

  @ApiProperty({
    type: () => ThresholdsBody,
    description: 'Thresholds of the step: its own, or those of the aggregation.',
  })
  thresholds: ThresholdsBody;

  @NullableComponentField(
    'ScoreAdapterBody',
    'How a number becomes a score; null when numbers are taken as they are, limited to 0 to 1.',
  )
  score_adapter: ScoreAdapterBody | null;

  @TextField({ nullable: true, description: 'The criterion of the step, in your words; null for none.' })
  description: string | null;

  @UuidField({
    nullable: true,
    description: 'Column that the step is about, as it was given; null without one, and when it was deleted.',
  })
  target_column_id: string | null;

  @EnumField(EVIDENCE_MODES, {
    nullable: true,
    description: 'Evidence that is stored with a score: a short text, everything, or nothing. Null means `summary`.',
  })
  evidence_mode: string | null;

  @IntegerField({ description: 'Steps are shown in ascending order.' })
  order_index: number;

  @UuidField({
    nullable: true,
    description: 'Column that the step was made from; null without one, and when it was deleted.',
  })
  backing_column_id: string | null;

  @CreatedAtField('the step')
  created_at: string;

  @UpdatedAtField('the step')
  updated_at: string;
}

/** The configuration of a scorecard. */
export class ScorecardConfigBody {
  @UuidField({ description: 'Id of the scorecard.' })
  id: string;

  @TextField({ description: 'Name of the scorecard.' })
  name: string;

  @ListField('uuid', {
    description: 'Ids of the columns that the scorecard is about, without deleted ones. They have no effect on scores.',
  })
  evaluated_column_ids: string[];

  @SchemaField(AggregationBody, { description: 'How the scores of steps become one, and which scores pass.' })
  aggregation: Aggregation;

  @JsonObjectField({ nullable: true, description: 'Kept for clients as it was given; null without one.' })
  display_config: JsonObject | null;

  @SchemaField(BaselineSchema, {
    nullable: true,
    description: 'The calculation that others are compared with; null means the one that completed before.',
  })
  baseline_config: JsonObject | null;

  @ApiProperty({ type: () => [ScorecardStepBody], description: 'The criteria, in the order of `order_index`.' })
  steps: ScorecardStepBody[];
}

export const SCORECARD_STATUSES = [
  'needs_setup',
  'ready',
  'queued',
  'running',
  'completed',
  'stale',
  'failed',
] as const;
export type ScorecardStatus = (typeof SCORECARD_STATUSES)[number];

export class ScorecardBody extends ScorecardConfigBody {
  @WorkspaceIdField()
  workspace_id: number;

  @UuidField({ description: 'The same as `table_id`.' })
  smart_table_id: string;

  @UuidField({ description: 'Id of the table that the sheet belongs to.' })
  table_id: string;

  @UuidField({ description: 'Id of the sheet that the scorecard scores.' })
  sheet_id: string;

  @EnumField(SCORECARD_STATUSES, {
    description:
      '`needs_setup`: without steps. `ready`: never calculated. `stale`: the last results are out of date, see `stale_state`. The others are those of the newest calculation.',
  })
  status: ScorecardStatus;

  @NullableComponentField(
    'StaleStateBody',
    'Whether and why the last results are out of date; null before the first results.',
  )
  stale_state: StaleStateBody | null;

  @UuidField({ nullable: true, description: 'Id of the newest calculation; null before the first one.' })
  latest_calculation_id: string | null;

  @TextField({ nullable: true, description: 'Hash of everything that scores depend on besides cells.' })
  config_hash: string | null;

  @CreatedAtField('the scorecard')
  created_at: string;

  @UpdatedAtField('the scorecard')
  updated_at: string;
}

export class ConfigureScorecardResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ScorecardBody, description: 'The scorecard afterwards.' })
  scorecard: ScorecardBody;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class ScorecardProgress {
  @IntegerField({ description: 'Number of rows in which every step is computed.' })
  scored_rows: number;

  @IntegerField({ description: 'Number of rows in the calculation.' })
  total_rows: number;

  @NumberField({
    nullable: true,
    description: 'The score of the sheet, from 0 to 1; null until the calculation has completed.',
  })
  partial_score: number | null;

  @IntegerField({ description: 'Rows that passed; 0 until the calculation has completed.' })
  passed_rows: number;

  @IntegerField({ description: 'Rows with a warning; 0 until the calculation has completed.' })
  warned_rows: number;

  @IntegerField({ description: 'Rows that failed; 0 until the calculation has completed.' })
  failed_rows: number;

  @IntegerField({ description: 'Rows in which every step failed to compute; 0 until the calculation has completed.' })
  error_rows: number;

  @IntegerField({ description: 'Rows in which nothing was scored; 0 until the calculation has completed.' })
  skipped_rows: number;

  @IntegerField({ description: 'Rows in which a step is being computed.' })
  running_rows: number;

  @IntegerField({ description: 'Rows in which a step waits to be computed.' })
  queued_rows: number;
}

export const summariesByStep = {
  type: 'object' as const,
  additionalProperties: { $ref: '#/components/schemas/CriterionSummary' },
  nullable: true,
  description: 'Results of the steps over all rows, by step id. Null before the first results.',
};

export class ScorecardResponse {
  @SuccessField()
  success: true;

  @NullableComponentField('ScorecardBody', 'The scorecard; null when the sheet has none.')
  scorecard: ScorecardBody | null;

  @NullableComponentField('CalculationBody', 'The newest calculation, whatever its status; null before the first one.')
  latest_calculation: CalculationBody | null;

  @NullableComponentField(
    'CalculationBody',
    'The newest completed calculation, to which the summaries belong; null before the first one.',
  )
  display_calculation: CalculationBody | null;

  @ApiProperty(summariesByStep)
  criterion_summaries: Record<string, CriterionSummary> | null;

  @NullableComponentField(
    'DriftSummary',
    'How its score differs from the earlier calculation; null when there is none.',
  )
  drift_summary: DriftSummary | null;

  @NullableComponentField('ScorecardProgress', 'Progress of the newest calculation; null before the first one.')
  progress: ScorecardProgress | null;
}

export class DeleteScorecardResponse {
  @SuccessField()
  success: true;
}

/** Rejects unknown keys. */
@Closed()
export class MigrateLegacyScoreRequest {
  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    example: false,
    description: 'Whether to delete the configured score afterwards. It is kept when nothing was converted.',
  })
  delete_legacy_score?: boolean | null;
}

export const SKIP_REASONS = ['custom_code', 'missing_columns', 'column_not_found', 'unsupported_column_type'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export class SkippedScore {
  @EnumField(SKIP_REASONS, { description: 'Why the column, or the whole score, cannot be a step.' })
  reason: SkipReason;

  @TextField({ description: 'The type of the configured score.' })
  score_type: string;

  @UuidField({ optional: true, description: 'Id of the column; absent when the score as a whole was skipped.' })
  column_id?: string;

  @TextField({ optional: true, description: 'Title of the column; absent when it no longer exists.' })
  column_name?: string;
}

export class MigrateLegacyScoreResponse {
  @SuccessField()
  success: true;

  @NullableComponentField(
    'ScorecardBody',
    'The scorecard afterwards; null when nothing was converted and the sheet had none.',
  )
  scorecard: ScorecardBody | null;

  @IntegerField({ description: 'Number of steps that were added.' })
  converted_count: number;

  @ApiProperty({ type: () => [SkippedScore], description: 'Scores that could not be converted, with the reasons.' })
  skipped: SkippedScore[];

  @BooleanField({ description: 'Whether the configured score was deleted.' })
  legacy_score_deleted: boolean;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

const anything = z.looseObject({});

z.unknown().meta({
  id: 'StepValue',
  type: ['boolean', 'number', 'string', 'array', 'object'],
  description: 'The computed value; its type depends on the column type.',
});

z.union([
  z.string(),
  z
    .looseObject({ inputs: anything.meta({ description: 'The values that were read, by column title.' }) })
    .meta({ id: 'StepEvidenceInputs' }),
]).meta({ id: 'StepEvidence', description: 'Evidence of a score: a short text, or all inputs and outputs.' });

export class StepResultBody {
  @UuidField({ description: 'Id of the step.' })
  step_id: string;

  @TextField({ description: 'Title of the step in this calculation.' })
  title: string;

  @TextField({ description: STEP_TYPE })
  primitive_type: string;

  @NumberField({ description: STEP_WEIGHT })
  weight: number;

  @EnumField(VERDICTS, {
    description: '`error` when the step could not be computed, `skipped` when there was nothing to score.',
  })
  verdict: string;

  @NumberField({ nullable: true, description: 'The score, from 0 to 1; null when there is none.' })
  score: number | null;

  @JsonField({
    nullable: true,
    like: 'StepValue',
    description: 'The value before it became a score; null when there is none.',
  })
  raw_value: JsonValue;

  @TextField({ nullable: true, description: 'Why the step could not be computed; null unless the verdict is `error`.' })
  error_message: string | null;

  @TextField({ nullable: true, description: 'The same as `error_message`.' })
  error: string | null;

  @JsonField({
    nullable: true,
    like: 'StepEvidence',
    description: 'The evidence of the score, as `evidence_mode` defines it; null when it is hidden.',
  })
  evidence: JsonValue;
}
