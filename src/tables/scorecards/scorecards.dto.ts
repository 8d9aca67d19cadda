import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { TABLE_EXAMPLES } from '../example-ids.js';
import {
  AggregationSchema,
  BaselineSchema,
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

/** Refuses unknown keys. */
@Closed()
export class ConfigureScorecardRequest {
  @TextField({ minLength: 1, maxLength: 255, example: 'Answer quality' })
  name: string;

  @SchemaField(AggregationSchema, { example: { method: 'weighted_mean', pass_threshold: 0.8, warn_threshold: 0.6 } })
  aggregation: GivenAggregation;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_COLUMNS,
    description: 'The columns that the scorecard is about: titles or ids. It only says so; steps name what they read.',
  })
  evaluated_column_ids?: string[] | null;

  @SchemaField(StepsSchema, {
    optional: true,
    nullable: true,
    description: 'The criteria. They replace those there were; a step with the id of one of them stays that step.',
    example: [
      {
        title: 'Says sorry',
        primitive_type: 'CONTAINS',
        primitive_config: { source: TABLE_EXAMPLES.ids.column_id, value: 'sorry' },
      },
    ],
  })
  steps?: GivenStep[] | null;

  @JsonObjectField({ optional: true, nullable: true, description: 'Kept for clients.' })
  display_config?: JsonObject | null;

  @SchemaField(BaselineSchema, { optional: true, nullable: true })
  baseline_config?: JsonObject | null;
}

const AggregationBody = z
  .looseObject({
    method: z.enum(AGGREGATION_METHODS),
    required_step_failure_behavior: z.enum(FAILURE_BEHAVIORS),
    pass_threshold: z.number(),
    warn_threshold: z.number(),
  })
  .meta({
    id: 'ScorecardAggregation',
    description: 'How the scores of steps become one, and from where on it passes.',
  });

export class ScoreAdapterBody {
  @EnumField(['linear'])
  type: 'linear';

  @NumberField({ description: 'Counts 0.' })
  min: number;

  @NumberField({ description: 'Counts 1.' })
  max: number;

  @BooleanField({ description: 'Whether it is the other way round.' })
  invert: boolean;
}

export class ScorecardStepBody {
  @UuidField()
  id: string;

  @TextField()
  title: string;

  @TextField({ description: 'The column type that computes it.' })
  primitive_type: string;

  @JsonObjectField()
  primitive_config: JsonObject;

  @ListField('uuid', { description: 'The columns that the step depends on.' })
  source_column_ids: string[];

  @NumberField({ description: 'A weight of 2 counts twice as much as one of 1.' })
  weight: number;

  @BooleanField({ description: 'Whether a failure decides the verdict over all steps, as the aggregation says.' })
  required: boolean;

  @ApiProperty({ type: () => ThresholdsBody })
  thresholds: ThresholdsBody;

  @ApiProperty({ oneOf: [{ $ref: '#/components/schemas/ScoreAdapterBody' }], nullable: true })
  score_adapter: ScoreAdapterBody | null;

  @TextField({ nullable: true })
  description: string | null;

  @UuidField({ nullable: true })
  target_column_id: string | null;

  @EnumField(EVIDENCE_MODES, { nullable: true })
  evidence_mode: string | null;

  @IntegerField()
  order_index: number;

  @UuidField({ nullable: true })
  backing_column_id: string | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

/** What a scorecard says. */
export class ScorecardConfigBody {
  @UuidField()
  id: string;

  @TextField()
  name: string;

  @ListField('uuid')
  evaluated_column_ids: string[];

  @SchemaField(AggregationBody)
  aggregation: Aggregation;

  @JsonObjectField({ nullable: true })
  display_config: JsonObject | null;

  @SchemaField(BaselineSchema, { nullable: true })
  baseline_config: JsonObject | null;

  @ApiProperty({ type: () => [ScorecardStepBody] })
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
  @IntegerField()
  workspace_id: number;

  @UuidField({ description: 'The table.' })
  smart_table_id: string;

  @UuidField({ description: 'The table.' })
  table_id: string;

  @UuidField()
  sheet_id: string;

  @EnumField(SCORECARD_STATUSES, { description: 'stale: something has changed since the last results.' })
  status: ScorecardStatus;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/StaleStateBody' }],
    nullable: true,
    description: 'null before the first results.',
  })
  stale_state: StaleStateBody | null;

  @UuidField({ nullable: true })
  latest_calculation_id: string | null;

  @TextField({ nullable: true, description: 'Changes with everything that scores depend on besides cells.' })
  config_hash: string | null;

  @DateTimeField()
  created_at: string;

  @DateTimeField()
  updated_at: string;
}

export class ConfigureScorecardResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => ScorecardBody })
  scorecard: ScorecardBody;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class ScorecardProgress {
  @IntegerField({ description: 'Rows of which every step is computed.' })
  scored_rows: number;

  @IntegerField()
  total_rows: number;

  @NumberField({ nullable: true, description: 'The score when it is known.' })
  partial_score: number | null;

  @IntegerField()
  passed_rows: number;

  @IntegerField()
  warned_rows: number;

  @IntegerField()
  failed_rows: number;

  @IntegerField()
  error_rows: number;

  @IntegerField()
  skipped_rows: number;

  @IntegerField()
  running_rows: number;

  @IntegerField()
  queued_rows: number;
}

const nullable = (name: string) => ({ oneOf: [{ $ref: `#/components/schemas/${name}` }], nullable: true });

export const summariesByStep = {
  type: 'object' as const,
  additionalProperties: { $ref: '#/components/schemas/CriterionSummary' },
  nullable: true,
  description: 'What each step found over all rows, by step id.',
};

export class ScorecardResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ ...nullable('ScorecardBody'), description: 'null when the sheet has none.' })
  scorecard: ScorecardBody | null;

  @ApiProperty({ ...nullable('CalculationBody'), description: 'The newest.' })
  latest_calculation: CalculationBody | null;

  @ApiProperty({ ...nullable('CalculationBody'), description: 'The newest that completed. The summaries are of it.' })
  display_calculation: CalculationBody | null;

  @ApiProperty(summariesByStep)
  criterion_summaries: Record<string, CriterionSummary> | null;

  @ApiProperty(nullable('DriftSummary'))
  drift_summary: DriftSummary | null;

  @ApiProperty({ ...nullable('ScorecardProgress'), description: 'How far the newest calculation is.' })
  progress: ScorecardProgress | null;
}

export class DeleteScorecardResponse {
  @ApiProperty({ example: true })
  success: true;
}

/** Refuses unknown keys. */
@Closed()
export class MigrateLegacyScoreRequest {
  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    example: false,
    description: 'Whether the score is deleted afterwards, if something of it was converted.',
  })
  delete_legacy_score?: boolean | null;
}

export const SKIP_REASONS = ['custom_code', 'missing_columns', 'column_not_found', 'unsupported_column_type'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export class SkippedScore {
  @EnumField(SKIP_REASONS)
  reason: SkipReason;

  @TextField()
  score_type: string;

  @UuidField({ optional: true })
  column_id?: string;

  @TextField({ optional: true })
  column_name?: string;
}

export class MigrateLegacyScoreResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ ...nullable('ScorecardBody'), description: 'null when nothing was converted and there was none.' })
  scorecard: ScorecardBody | null;

  @IntegerField({ description: 'Steps that were added.' })
  converted_count: number;

  @ApiProperty({ type: () => [SkippedScore] })
  skipped: SkippedScore[];

  @BooleanField()
  legacy_score_deleted: boolean;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

const anything = z.looseObject({});

z.unknown().meta({
  id: 'StepValue',
  type: ['boolean', 'number', 'string', 'array', 'object'],
  description: 'What was computed: whatever the column type gives.',
});

z.union([
  z.string(),
  z.looseObject({ inputs: anything.meta({ description: 'What was read, by the titles of the columns.' }) }),
]).meta({ id: 'StepEvidence', description: 'Why a step has its score: a short text, or all that was looked at.' });

export class StepResultBody {
  @UuidField()
  step_id: string;

  @TextField()
  title: string;

  @TextField()
  primitive_type: string;

  @NumberField()
  weight: number;

  @EnumField(VERDICTS)
  verdict: string;

  @NumberField({ nullable: true })
  score: number | null;

  @JsonField({ nullable: true, like: 'StepValue' })
  raw_value: JsonValue;

  @TextField({ nullable: true })
  error_message: string | null;

  @TextField({ nullable: true, description: 'The same as error_message.' })
  error: string | null;

  @JsonField({ nullable: true, like: 'StepEvidence' })
  evidence: JsonValue;
}
