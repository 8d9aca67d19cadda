import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { boundedText, SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { type Language, LANGUAGES } from '../../platform/sandbox/code-runner.js';
import type { MatrixCell } from './custom-score.js';
import type { GivenScoreConfig } from './given-score.js';
import { ASSERTION_AGGREGATIONS, type AssertionAggregation, SCORING_TYPES, type ScoringType } from './score-config.js';
import { VERSION_SCORE_TYPES, type VersionScoreType } from './score-result.js';
import { VERDICTS } from '../scorecards/verdicts.js';

const MAX_CODE = 50_000;
const MAX_COLUMNS = 1000;
const MAX_TEXTS = 1000;

const texts = z.array(z.string()).max(MAX_TEXTS).nullish();

const GivenConfig = z
  .looseObject({
    column_ids: z.array(z.guid()).max(MAX_COLUMNS).nullish(),
    column_names: z.array(z.string()).max(MAX_COLUMNS).nullish(),
    true_values: texts,
    false_values: texts,
    assertion_aggregation: z.enum(ASSERTION_AGGREGATIONS).nullish(),
    code: boundedText(1, MAX_CODE).nullish(),
    code_language: z.enum(LANGUAGES).nullish(),
  })
  .meta({
    id: 'GivenScoreConfig',
    description: 'The same settings in one object, as GET gives them. Those beside it win. Other keys are ignored.',
  });

/** Refuses unknown keys. */
@Closed()
export class ConfigureScoreRequest {
  @EnumField(SCORING_TYPES, {
    optional: true,
    nullable: true,
    description:
      'How cells are read. Left out: `custom` with code, `boolean` with true_values, false_values or assertion_aggregation, otherwise `auto`.',
    example: 'boolean',
  })
  score_type?: ScoringType | null;

  @SchemaField(GivenConfig, { optional: true, nullable: true })
  score_config?: GivenScoreConfig | null;

  @ListField('uuid', { optional: true, nullable: true, maxItems: MAX_COLUMNS, description: 'The columns to score.' })
  column_ids?: string[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_COLUMNS,
    description: 'The same by title; a title must be of one column only.',
    example: ['As expected'],
  })
  column_names?: string[] | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_CODE,
    description:
      'For `custom`: gets `data`, a list with an object of values by column title for every row, and returns an object with a numeric `score`; `sub_scores` (numbers by label) and `score_matrix` (rows of cells) may be in it.',
  })
  code?: string | null;

  @EnumField(LANGUAGES, { optional: true, nullable: true, default: 'PYTHON' })
  code_language?: Language | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_TEXTS,
    description: 'Texts of cells that passed, whatever their case. Left out: true, 1, yes, pass, passed.',
  })
  true_values?: string[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_TEXTS,
    description: 'Texts of cells that failed. Left out: false, 0, no, fail, failed.',
  })
  false_values?: string[] | null;

  @EnumField(ASSERTION_AGGREGATIONS, {
    optional: true,
    nullable: true,
    default: 'mean',
    description: 'What a cell with several assertions counts: whether all passed, whether any did, or their share.',
  })
  assertion_aggregation?: AssertionAggregation | null;
}

export class ConfigureScoreResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @UuidField()
  score_configuration_id: string;

  @ApiProperty({ type: 'null', description: 'Nothing has been calculated by this configuration yet.' })
  status: null;

  @ApiProperty({ example: true })
  requires_recalculation: true;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class CalculateScoreResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  score_configuration_id: string;

  @EnumField(['queued'])
  status: 'queued';
}

/** When no score is configured and the sheet has a scorecard. */
export class CalculateScorecardScoreResponse {
  @ApiProperty({ example: true })
  success: true;

  @EnumField(['scorecard'])
  score_source: 'scorecard';

  @UuidField()
  calculation_id: string;

  @EnumField(['queued'])
  status: 'queued';

  @IntegerField({ description: 'The version of the sheet.' })
  version: number;
}

export class ScoreConfigBody {
  @ListField('uuid', { optional: true, description: 'Left out: the columns that hold verdicts.' })
  column_ids?: string[];

  @ListField('string', { optional: true })
  true_values?: string[];

  @ListField('string', { optional: true })
  false_values?: string[];

  @EnumField(ASSERTION_AGGREGATIONS, { optional: true })
  assertion_aggregation?: AssertionAggregation;

  @TextField({ optional: true })
  code?: string;

  @EnumField(LANGUAGES, { optional: true })
  code_language?: Language;
}

export class ScoreConfigurationBody {
  @EnumField(SCORING_TYPES)
  score_type: ScoringType;

  @ApiProperty({ type: () => ScoreConfigBody })
  score_config: ScoreConfigBody;
}

export class ScoreColumnBody {
  @UuidField()
  column_id: string;

  @TextField()
  title: string;

  @NumberField({ nullable: true, description: 'The mean over the rows that count; null when none does.' })
  score: number | null;

  @IntegerField({ description: 'Rows that count.' })
  included_count: number;

  @IntegerField({ description: 'Rows whose cell is blank, has failed, or cannot be read.' })
  excluded_count: number;

  @EnumField(SCORING_TYPES, { nullable: true, description: 'How the cells were read.' })
  resolved_scoring_type: ScoringType | null;
}

/** The score of one column in the older form. */
export class ScoreColumnDetail {
  @UuidField()
  column_id: string;

  @TextField()
  column_name: string;

  @NumberField({ nullable: true })
  score: number | null;

  @EnumField(SCORING_TYPES, { nullable: true })
  score_type: ScoringType | null;

  @IntegerField({ description: 'Rows that do not count.' })
  num_skipped: number;
}

const matrixCell = z.union([
  z.number(),
  z.string(),
  z.null(),
  z.object({ value: z.union([z.number(), z.string(), z.null()]), positive_metric: z.boolean().optional() }),
]);
const ScoreMatrix = z
  .array(z.array(matrixCell))
  .meta({ id: 'ScoreMatrix', description: 'Rows of cells, as the code gave them.' });

/** What a scorecard gave. */
export class ScorecardScoreDetail {
  @UuidField()
  scorecard_id: string;

  @UuidField()
  scorecard_calculation_id: string;

  @NumberField({ nullable: true })
  aggregate_score: number | null;

  @EnumField(VERDICTS)
  aggregate_verdict: string;
}

/** What is in it depends on `score_type`. */
export class ScoreDetails {
  @UuidField({ optional: true })
  column_id?: string;

  @TextField({ optional: true })
  column_name?: string;

  @NumberField({ optional: true, nullable: true })
  score?: number | null;

  @EnumField(SCORING_TYPES, { optional: true, nullable: true })
  score_type?: ScoringType | null;

  @IntegerField({ optional: true })
  num_skipped?: number;

  @ApiProperty({ type: () => [ScoreColumnDetail], required: false })
  columns?: ScoreColumnDetail[];

  @JsonObjectField({ optional: true, values: { type: 'number' } })
  sub_scores?: Record<string, number>;

  @SchemaField(ScoreMatrix, { optional: true, nullable: true })
  matrix?: MatrixCell[][] | null;

  @ApiProperty({ type: () => ScoreConfigBody, required: false })
  configuration?: ScoreConfigBody;

  @TextField({ optional: true, description: 'Why there is no score.' })
  message?: string;

  @ApiProperty({ type: () => ScorecardScoreDetail, required: false })
  aggregate_result?: ScorecardScoreDetail;
}

export class ScoreAggregate {
  @NumberField({ nullable: true })
  value: number | null;

  @IntegerField({ optional: true, description: 'Cells that passed, where all columns are read as booleans.' })
  success_count?: number;

  @IntegerField({ optional: true })
  total_count?: number;
}

export class ScoreMetricBody {
  @TextField()
  key: string;

  @TextField()
  label: string;

  @BooleanField({ nullable: true, description: 'Whether more is better; null when nobody said it.' })
  positive_metric: boolean | null;
}

export class ScoreResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  sheet_id: string;

  @EnumField([...SCORING_TYPES, 'scorecard'], { nullable: true, description: 'null when no score is configured.' })
  scoring_type: ScoringType | 'scorecard' | null;

  @ApiProperty({ type: () => [ScoreColumnBody] })
  columns: ScoreColumnBody[];

  @NumberField({ nullable: true, description: 'The mean of the columns, or what the code gave.' })
  aggregate_score: number | null;

  @IntegerField()
  total_rows: number;

  @IntegerField({ description: 'Rows in which at least one column counts.' })
  scored_rows: number;

  @IntegerField()
  excluded_rows: number;

  @DateTimeField({ nullable: true })
  calculated_at: string | null;

  @SchemaField(ScoreMatrix, { nullable: true })
  score_matrix: MatrixCell[][] | null;

  @ListField(() => ScoreMetricBody, { nullable: true })
  score_matrix_metrics: ScoreMetricBody[] | null;

  @EnumField(['queued', 'running', 'completed', 'failed'], {
    nullable: true,
    description: 'Of the newest calculation. While it is queued or running the last result stays.',
  })
  status: string | null;

  @TextField({ nullable: true })
  score_calculation_error: string | null;

  @BooleanField()
  has_custom_scoring: boolean;

  @ApiProperty({
    oneOf: [{ $ref: '#/components/schemas/ScoreConfigurationBody' }],
    nullable: true,
  })
  score_configuration: ScoreConfigurationBody | null;

  @EnumField(VERSION_SCORE_TYPES, { description: 'What the result was made of.' })
  score_type: VersionScoreType;

  @NumberField({ nullable: true, description: 'The same as aggregate_score.' })
  overall_score: number | null;

  @ApiProperty({ type: () => ScoreDetails })
  details: ScoreDetails;

  @ApiProperty({ type: () => ScoreAggregate })
  aggregate: ScoreAggregate;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ScoreColumnBody' },
    description: 'The entries of `columns` by column id.',
  })
  per_column: Record<string, ScoreColumnBody>;
}
