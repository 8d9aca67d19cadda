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
import { NullableComponentField } from '../shared/component-field.js';
import { SHEET_ID, COLUMN_ID } from '../shared/field-descriptions.js';
import { SuccessField, MessageField } from '../../platform/http/common-fields.js';
import { boundedText, SchemaField } from '../../platform/http/schema-field.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { type Language, LANGUAGES } from '../../platform/sandbox/code-runner.js';
import {
  ASSERTION_AGGREGATIONS,
  type AssertionAggregation,
  type GivenScoreConfig,
  type MatrixCell,
  SCORING_TYPES,
  type ScoringType,
  VERSION_SCORE_TYPES,
  type VersionScoreType,
} from '../../scoring/index.js';
import { VERDICTS } from '../scorecards/verdicts.js';

const MAX_CODE = 50_000;
const MAX_COLUMNS = 1000;
const MAX_TEXTS = 1000;

const texts = (description: string) => z.array(z.string()).max(MAX_TEXTS).nullish().meta({ description });

const GivenConfig = z
  .looseObject({
    column_ids: z.array(z.guid()).max(MAX_COLUMNS).nullish().meta({ description: 'Ids of the columns to score.' }),
    column_names: z.array(z.string()).max(MAX_COLUMNS).nullish().meta({ description: 'The same by title.' }),
    true_values: texts('Texts of cells that passed, in any letter case.'),
    false_values: texts('Texts of cells that failed, in any letter case.'),
    assertion_aggregation: z
      .enum(ASSERTION_AGGREGATIONS)
      .nullish()
      .meta({ description: 'Score of a cell with several assertions. By default `mean`.' }),
    code: boundedText(1, MAX_CODE).nullish().meta({ description: 'Code that scores the sheet, for `custom`.' }),
    code_language: z.enum(LANGUAGES).nullish().meta({ description: 'Language of `code`. By default PYTHON.' }),
  })
  .meta({
    id: 'GivenScoreConfig',
    description: 'The settings in one object, as GET answers them. Settings beside it win. Other keys are ignored.',
  });

/** Rejects unknown keys. */
@Closed()
export class ConfigureScoreRequest {
  @EnumField(SCORING_TYPES, {
    optional: true,
    nullable: true,
    description:
      'How cells are read. Default: `custom` with `code`, `boolean` with `true_values`, `false_values` or `assertion_aggregation`, otherwise `auto`.',
    example: 'boolean',
  })
  score_type?: ScoringType | null;

  @SchemaField(GivenConfig, {
    optional: true,
    nullable: true,
    description: 'The settings below in one object. Requires `score_type`.',
  })
  score_config?: GivenScoreConfig | null;

  @ListField('uuid', {
    optional: true,
    nullable: true,
    maxItems: MAX_COLUMNS,
    description: 'Ids of the columns to score. Default: the output columns that hold verdicts.',
  })
  column_ids?: string[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_COLUMNS,
    description: 'Titles of further columns to score. A title that several columns have is refused.',
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

  @EnumField(LANGUAGES, { optional: true, nullable: true, default: 'PYTHON', description: 'Language of `code`.' })
  code_language?: Language | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_TEXTS,
    description: 'Texts of cells that passed, in any letter case. Default: true, 1, yes, pass, passed.',
  })
  true_values?: string[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_TEXTS,
    description: 'Texts of cells that failed, in any letter case. Default: false, 0, no, fail, failed.',
  })
  false_values?: string[] | null;

  @EnumField(ASSERTION_AGGREGATIONS, {
    optional: true,
    nullable: true,
    default: 'mean',
    description: 'Score of a cell with several assertions: whether all passed, whether any did, or their share.',
  })
  assertion_aggregation?: AssertionAggregation | null;
}

export class ConfigureScoreResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @UuidField({ description: 'Id of the configuration. Every change makes a new one.' })
  score_configuration_id: string;

  @ApiProperty({ type: 'null', description: 'Always null: nothing has been calculated with this configuration yet.' })
  status: null;

  @ApiProperty({ description: 'Always true: POST to the same path calculates the score.', example: true })
  requires_recalculation: true;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class CalculateScoreResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: 'Id of the configuration that is calculated.' })
  score_configuration_id: string;

  @EnumField(['queued'], { description: 'Always `queued`: the `status` of GET says when the score is there.' })
  status: 'queued';
}

/** Response without a configured score, for a sheet with a scorecard. */
export class CalculateScorecardScoreResponse {
  @SuccessField()
  success: true;

  @EnumField(['scorecard'], {
    description: 'Always `scorecard`: no score is configured, so the scorecard is calculated.',
  })
  score_source: 'scorecard';

  @UuidField({ description: 'Id of the calculation, for `GET …/scorecard/calculations/{calculation_id}`.' })
  calculation_id: string;

  @EnumField(['queued'], { description: 'Always `queued`.' })
  status: 'queued';

  @IntegerField({ description: 'The version of the sheet that is scored.' })
  version: number;
}

export class ScoreConfigBody {
  @ListField('uuid', {
    optional: true,
    description: 'Ids of the columns to score; absent when the output columns that hold verdicts are scored.',
  })
  column_ids?: string[];

  @ListField('string', { optional: true, description: 'Texts of cells that passed; absent for the default.' })
  true_values?: string[];

  @ListField('string', { optional: true, description: 'Texts of cells that failed; absent for the default.' })
  false_values?: string[];

  @EnumField(ASSERTION_AGGREGATIONS, {
    optional: true,
    description: 'Score of a cell with several assertions; absent for the default, `mean`.',
  })
  assertion_aggregation?: AssertionAggregation;

  @TextField({ optional: true, description: 'The code that scores the sheet; present for `custom` only.' })
  code?: string;

  @EnumField(LANGUAGES, { optional: true, description: 'Language of `code`; present for `custom` only.' })
  code_language?: Language;
}

export class ScoreConfigurationBody {
  @EnumField(SCORING_TYPES, { description: 'How cells are read, or `custom` when code scores the sheet.' })
  score_type: ScoringType;

  @ApiProperty({ type: () => ScoreConfigBody, description: 'The settings that this type reads.' })
  score_config: ScoreConfigBody;
}

export class ScoreColumnBody {
  @UuidField({ description: COLUMN_ID })
  column_id: string;

  @TextField({ description: 'Title of the column when it was scored.' })
  title: string;

  @NumberField({ nullable: true, description: 'The mean over the rows that count; null when none does.' })
  score: number | null;

  @IntegerField({ description: 'Number of rows that count.' })
  included_count: number;

  @IntegerField({ description: 'Number of rows whose cell is blank, has failed or cannot be read.' })
  excluded_count: number;

  @EnumField(SCORING_TYPES, { nullable: true, description: 'How the cells were read; null when they could not be.' })
  resolved_scoring_type: ScoringType | null;
}

/** The score of one column in the older form. */
export class ScoreColumnDetail {
  @UuidField({ description: COLUMN_ID })
  column_id: string;

  @TextField({ description: 'Title of the column when it was scored.' })
  column_name: string;

  @NumberField({ nullable: true, description: 'The mean over the rows that count; null when none does.' })
  score: number | null;

  @EnumField(SCORING_TYPES, { nullable: true, description: 'How the cells were read; null when they could not be.' })
  score_type: ScoringType | null;

  @IntegerField({ description: 'Number of rows that do not count.' })
  num_skipped: number;
}

/** A cell of a table that code returns beside its score. */
export const matrixCell = z.union([
  z.number(),
  z.string(),
  z.null(),
  z.object({
    value: z.union([z.number(), z.string(), z.null()]).meta({ description: 'Text or number in the cell.' }),
    positive_metric: z.boolean().optional().meta({ description: 'Whether more is better. Absent means true.' }),
  }),
]);
const ScoreMatrix = z
  .array(z.array(matrixCell))
  .meta({ id: 'ScoreMatrix', description: 'Rows of cells, as the code returned them.' });

/** The result of a scorecard. */
export class ScorecardScoreDetail {
  @UuidField({ description: 'Id of the scorecard.' })
  scorecard_id: string;

  @UuidField({ description: 'Id of the calculation that gave the score.' })
  scorecard_calculation_id: string;

  @NumberField({ nullable: true, description: 'The score, from 0 to 1; null when nothing was scored.' })
  aggregate_score: number | null;

  @EnumField(VERDICTS, { description: 'The verdict on the score by the thresholds of the scorecard.' })
  aggregate_verdict: string;
}

/** Details of a score. The keys depend on `score_type`. */
export class ScoreDetails {
  @UuidField({ optional: true, description: 'Id of the column (`single_column`).' })
  column_id?: string;

  @TextField({ optional: true, description: 'Title of the column when it was scored (`single_column`).' })
  column_name?: string;

  @NumberField({ optional: true, nullable: true, description: 'The mean over the rows that count (`single_column`).' })
  score?: number | null;

  @EnumField(SCORING_TYPES, {
    optional: true,
    nullable: true,
    description: 'How the cells were read (`single_column`).',
  })
  score_type?: ScoringType | null;

  @IntegerField({ optional: true, description: 'Number of rows that do not count (`single_column`).' })
  num_skipped?: number;

  @ApiProperty({
    type: () => [ScoreColumnDetail],
    required: false,
    description: 'The score of each column (`multi_column`).',
  })
  columns?: ScoreColumnDetail[];

  @JsonObjectField({
    optional: true,
    values: { type: 'number' },
    description: 'The numbers that the code returned as `sub_scores`, by label (`custom`).',
  })
  sub_scores?: Record<string, number>;

  @SchemaField(ScoreMatrix, {
    optional: true,
    nullable: true,
    description: 'The table that the code returned as `score_matrix`; null without one (`custom`).',
  })
  matrix?: MatrixCell[][] | null;

  @ApiProperty({ type: () => ScoreConfigBody, required: false, description: 'The settings with the code (`custom`).' })
  configuration?: ScoreConfigBody;

  @TextField({ optional: true, description: 'Why there is no score.' })
  message?: string;

  @ApiProperty({
    type: () => ScorecardScoreDetail,
    required: false,
    description: 'The result of the scorecard (`scorecard`).',
  })
  aggregate_result?: ScorecardScoreDetail;
}

export class ScoreAggregate {
  @NumberField({ nullable: true, description: 'The score of the sheet; null when nothing was scored.' })
  value: number | null;

  @IntegerField({ optional: true, description: 'Number of cells that passed, where all columns are read as booleans.' })
  success_count?: number;

  @IntegerField({ optional: true, description: 'Cells that count, where all columns are read as booleans.' })
  total_count?: number;
}

export class ScoreMetricBody {
  @TextField({ description: 'The label of the sub-score.' })
  key: string;

  @TextField({ description: 'The same as `key`.' })
  label: string;

  @BooleanField({ nullable: true, description: 'Whether more is better; null when it is unknown.' })
  positive_metric: boolean | null;
}

export class ScoreResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @EnumField([...SCORING_TYPES, 'scorecard'], {
    nullable: true,
    description: 'How the sheet is configured to be scored; null when no score is configured.',
  })
  scoring_type: ScoringType | 'scorecard' | null;

  @ApiProperty({ type: () => [ScoreColumnBody], description: 'The columns that are scored; empty for a scorecard.' })
  columns: ScoreColumnBody[];

  @NumberField({
    nullable: true,
    description: 'Mean score of the columns, or the score that the code returned; null when nothing was scored.',
  })
  aggregate_score: number | null;

  @IntegerField({ description: 'Number of rows in the sheet when it was scored.' })
  total_rows: number;

  @IntegerField({ description: 'Number of rows in which at least one column counts.' })
  scored_rows: number;

  @IntegerField({ description: 'Rows in which no column counts.' })
  excluded_rows: number;

  @DateTimeField({
    nullable: true,
    description: 'When the result was calculated, in UTC; null without a stored result.',
  })
  calculated_at: string | null;

  @SchemaField(ScoreMatrix, {
    nullable: true,
    description: 'The table that the code returned as `score_matrix`; null without one.',
  })
  score_matrix: MatrixCell[][] | null;

  @ListField(() => ScoreMetricBody, {
    nullable: true,
    description: 'The labels of the sub-scores that the code returned; null unless code scores the sheet.',
  })
  score_matrix_metrics: ScoreMetricBody[] | null;

  @EnumField(['queued', 'running', 'completed', 'failed'], {
    nullable: true,
    description:
      'Status of the newest calculation; null when no score is configured. The last result stays while it is `queued` or `running`.',
  })
  status: string | null;

  @TextField({ nullable: true, description: 'Why the newest calculation failed; null when it did not.' })
  score_calculation_error: string | null;

  @BooleanField({ description: 'Whether code scores the sheet.' })
  has_custom_scoring: boolean;

  @NullableComponentField('ScoreConfigurationBody', 'The configuration; null when no score is configured.')
  score_configuration: ScoreConfigurationBody | null;

  @EnumField(VERSION_SCORE_TYPES, {
    description: 'The source of the result: nothing, one column, several, code, or the scorecard.',
  })
  score_type: VersionScoreType;

  @NumberField({ nullable: true, description: 'The same as `aggregate_score`.' })
  overall_score: number | null;

  @ApiProperty({ type: () => ScoreDetails, description: 'The result in detail. Its keys depend on `score_type`.' })
  details: ScoreDetails;

  @ApiProperty({ type: () => ScoreAggregate, description: 'The score of the whole sheet.' })
  aggregate: ScoreAggregate;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/ScoreColumnBody' },
    description: 'The entries of `columns` by column id.',
  })
  per_column: Record<string, ScoreColumnBody>;
}
