import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { ExternalIdBody, ExternalIdsField } from '../../external-ids/index.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  MAX_ID,
  TextField,
} from '../../platform/http/fields.js';
import {
  BodyIdField,
  CreatedAtField,
  MessageField,
  PathIdField,
  QueryIdField,
  SuccessField,
  UpdatedAtField,
  WorkspaceIdField,
} from '../../platform/http/common-fields.js';
import { boundedText, SchemaField } from '../../platform/http/schema-field.js';
import { type Language, LANGUAGES } from '../../platform/sandbox/code-runner.js';
import { EvaluationColumnDefinition, MAX_NAME, ReportColumnBody } from '../columns/report-columns.dto.js';
import type { ReportScore, ScoreCode, ScoreMatrix } from '../scores/report-score.js';
import { matrixCell, ReuseField } from '../../tables/index.js';

const MAX_CODE = 50_000;
const MAX_COLUMNS = 1000;
const MAX_TAGS = 100;

export const PREVIEW_ROWS = 5;

const code = boundedText(1, MAX_CODE);

const ScoreCodeSchema = z
  .object({
    code: code.meta({ description: 'The code, at most 50,000 characters.' }),
    code_language: z.enum(LANGUAGES).nullish().meta({ description: 'Language of the code. By default PYTHON.' }),
  })
  .transform(({ code, code_language }): ScoreCode => ({ code, code_language: code_language ?? 'PYTHON' }))
  .meta({
    id: 'ReportScoreCode',
    description:
      'Code that scores a run. It gets `data`, a list of all rows as objects of values by column name, and returns an object with `score`, and optionally `sub_scores` and `score_matrix` (a list of matrices).',
  });

export class CreateReportRequest {
  @IntegerField({
    min: 1,
    max: MAX_ID,
    description: 'Id of the dataset to evaluate. It needs a published version.',
    example: 2,
  })
  dataset_group_id: number;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'Name of the pipeline. Default: made from the name of the dataset.',
    example: 'Refund answers',
  })
  name?: string | null;

  @BodyIdField('Id of the folder to create the pipeline in; without it the pipeline is at the top level.')
  folder_id?: number | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: -1,
    max: MAX_ID,
    description: 'Number of a published version of the dataset. Default: the latest.',
  })
  dataset_version_number?: number | null;

  @ListField(() => EvaluationColumnDefinition, {
    optional: true,
    nullable: true,
    maxItems: MAX_COLUMNS,
    description: `The columns to the right of those of the dataset. The pipeline computes them for its first ${PREVIEW_ROWS} rows, as a preview.`,
  })
  columns?: EvaluationColumnDefinition[] | null;

  @SchemaField(ScoreCodeSchema, {
    optional: true,
    nullable: true,
    description: 'Code that scores runs in place of the columns.',
  })
  score_configuration?: ScoreCode | null;

  @ExternalIdsField({ optional: true, nullable: true })
  external_ids?: ExternalIdBody[] | null;
}

export class CreateReportResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Id of the new pipeline.' })
  report_id: number;

  @ApiProperty({
    type: () => [ReportColumnBody],
    required: false,
    description: 'All columns, those of the dataset first. Absent when the request had no columns.',
  })
  report_columns?: ReportColumnBody[];

  @ApiProperty({ type: () => [ExternalIdBody], description: 'The external IDs attached to the pipeline.' })
  external_ids: ExternalIdBody[];
}

export class ReportPath {
  @PathIdField('Id of a pipeline or a run.')
  report_id: number;
}

export class ReportNamePath {
  @TextField({
    query: true,
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'The exact name, URL-encoded. Letter case matters.',
  })
  report_name: string;
}

export class RenameReportRequest {
  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'The new name. Null leaves it as it is.',
    example: 'Refunds',
  })
  name?: string | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: MAX_TAGS,
    description: 'New tags, which replace all existing ones. An empty list removes them.',
  })
  tags?: string[] | null;
}

export class ReportMessageResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;
}

export class RunReportRequest {
  @TextField({ minLength: 1, maxLength: MAX_NAME, description: 'Name of the run.', example: 'Before the change' })
  name: string;

  @BodyIdField(
    'Id of a published version of a dataset with the columns that the pipeline reads. Default: the version that the pipeline reads.',
  )
  dataset_id?: number | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description:
      'Whether to make a new version of the dataset first, from the request logs that its filter finds now. Refused for a dataset without a filter.',
  })
  refresh_dataset?: boolean | null;

  @ReuseField()
  reuse?: boolean | null;
}

export class RunReportResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Id of the run.' })
  report_id: number;
}

export class ScoreQuery {
  @QueryIdField('The workspace of the API key.')
  workspace_id?: number;
}

export class UpdateScoreCardRequest {
  @ListField('string', {
    maxItems: MAX_COLUMNS,
    description: 'Names of the columns that count. With an empty list the last column counts.',
    example: ['Says refund'],
  })
  column_names: string[];

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_CODE,
    description: 'Code that scores in place of the columns. Null, or no code: the columns score.',
  })
  code?: string | null;

  @EnumField(LANGUAGES, { optional: true, nullable: true, default: 'PYTHON', description: 'Language of `code`.' })
  code_language?: Language | null;
}

export const REPORT_STATUSES = ['RUNNING', 'COMPLETED'] as const;

export class ReportStatusCounts {
  @IntegerField({ description: 'Cells that have a value.' })
  COMPLETED: number;

  @IntegerField({ description: 'Cells that could not be computed.' })
  FAILED: number;

  @IntegerField({ description: 'Cells that wait to be computed.' })
  QUEUED: number;

  @IntegerField({ description: 'Cells that are being computed.' })
  RUNNING: number;
}

export class ReportStats {
  @ApiProperty({ type: () => ReportStatusCounts, description: 'Number of computed cells by state.' })
  status_counts: ReportStatusCounts;

  @IntegerField({
    nullable: true,
    description:
      'Computed cells that have the result of an earlier cell with the same inputs; null for runs from before this was counted.',
  })
  reused_count: number | null;
}

/** Code that scores, and its language. */
export class ReportScoreCodeBody {
  @TextField({ description: 'The code, as it was given.' })
  code: string;

  @EnumField(LANGUAGES, { description: 'Language of the code.' })
  code_language: string;
}

/** Common fields of pipelines and runs, in lists and in details. */
export class ReportSummaryBody {
  @IntegerField({ description: 'Id of the pipeline or run.' })
  id: number;

  @TextField({ description: 'Name of the pipeline or run. Several may have the same one.' })
  name: string;

  @TextField({ nullable: true, description: 'Always null: comments cannot be written on this server.' })
  comment: string | null;

  @CreatedAtField('the pipeline or run')
  created_at: string;

  @UpdatedAtField('the pipeline or run')
  updated_at: string;

  @WorkspaceIdField()
  workspace_id: number;

  @IntegerField({
    nullable: true,
    description: 'The folder that the pipeline is in; null at the top level, and for runs.',
  })
  folder_id: number | null;

  @IntegerField({
    nullable: true,
    description: 'Id of the API key that created it; null when it was created without one.',
  })
  user_id: number | null;

  @IntegerField({ nullable: true, description: 'Id of the version of the dataset that is read.' })
  dataset_id: number | null;

  @BooleanField({ description: 'True for a pipeline, false for a run of one.' })
  is_blueprint: boolean;

  @ApiProperty({ type: [String], description: 'Tags of the pipeline or run, as they were given.' })
  tags: string[];

  @BooleanField({ description: 'Whether it was archived.' })
  deleted: boolean;

  @IntegerField({ nullable: true, description: 'Id of the pipeline that was run; null for a pipeline.' })
  parent_report_id: number | null;

  @ApiProperty({
    type: () => ReportScoreCodeBody,
    nullable: true,
    description: 'Code that scores in place of the columns; null when the columns score.',
  })
  score_configuration: ScoreCode | null;
}

const matrices = z
  .array(z.array(z.array(matrixCell)))
  .meta({ id: 'ReportScoreMatrices', description: 'Tables of cells, as the code returned them.' });

export class ReportColumnScoreBody {
  @TextField({ description: 'Name of the scored column.' })
  column_name: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Percentage of true cells, or the mean of numbers; null when no cell counts.',
  })
  score: number | null;

  @EnumField(['boolean', 'numeric'], {
    nullable: true,
    description: 'Whether cells are true or false, or numbers; null when no cell counts.',
  })
  score_type: string | null;

  @IntegerField({ description: 'Number of cells that do not count.' })
  num_skipped: number;
}

/** Details of a score. The keys depend on `score_type`. */
export class ReportScoreDetails {
  @TextField({ optional: true, description: 'Name of the scored column (`single_column`).' })
  column_name?: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    required: false,
    description: 'Percentage of true cells, or the mean of numbers (`single_column`).',
  })
  score?: number | null;

  @EnumField(['boolean', 'numeric'], {
    optional: true,
    nullable: true,
    description: 'Whether cells are true or false, or numbers (`single_column`).',
  })
  score_type?: string | null;

  @IntegerField({ optional: true, description: 'Number of cells that do not count (`single_column`).' })
  num_skipped?: number;

  @ApiProperty({
    type: () => [ReportColumnScoreBody],
    required: false,
    description: 'The score of each column (`multi_column`).',
  })
  columns?: ReportColumnScoreBody[];

  @SchemaField(matrices, {
    optional: true,
    description: 'The tables that the code returned as `score_matrix` (`custom`).',
  })
  matrix?: ScoreMatrix[];

  @JsonObjectField({
    optional: true,
    values: { type: 'number' },
    description: 'The numbers that the code returned as `sub_scores`, by label (`custom`).',
  })
  sub_scores?: Record<string, number>;

  @ApiProperty({
    type: () => ReportScoreCodeBody,
    nullable: true,
    required: false,
    description: 'The code that scored the run (`custom`).',
  })
  configuration?: ScoreCode | null;

  @TextField({ optional: true, description: 'Why there is no score.' })
  message?: string;
}

export class ReportScoreBody {
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Mean score of the columns, or the score that the code returned; null when there is none.',
  })
  overall_score: number | null;

  @EnumField(['single_column', 'multi_column', 'custom', 'none'], {
    description: 'The kind of score: none, of one column, of several, or by code.',
  })
  score_type: string;

  @BooleanField({ description: 'Whether code scores the run.' })
  has_custom_scoring: boolean;

  @ApiProperty({
    type: () => ReportScoreDetails,
    description: 'The result in detail. Its keys depend on `score_type`.',
  })
  details: ReportScoreDetails;
}

export class ReportBody extends ReportSummaryBody {
  @ApiProperty({
    type: () => ReportScoreBody,
    nullable: true,
    description: 'The score; null for a pipeline, and until a run is completed.',
  })
  score: ReportScore | null;

  @SchemaField(matrices, {
    nullable: true,
    description: 'The tables that the code returned as `score_matrix`; null without any.',
  })
  score_matrix: ScoreMatrix[] | null;

  @TextField({ nullable: true, description: 'Why a completed run has no score; null otherwise.' })
  score_calculation_error: string | null;
}

export class ReportDetailBody extends ReportBody {
  @IntegerField({
    nullable: true,
    description: 'Id of the prompt whose publication started the run; null for runs that were started otherwise.',
  })
  prompt_registry_id: number | null;

  @IntegerField({
    nullable: true,
    description: 'Number of the published version of that prompt; null for runs that were started otherwise.',
  })
  prompt_version_number: number | null;
}

export class ReportResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ReportDetailBody, description: 'The pipeline or run.' })
  report: ReportDetailBody;
}

export class ReportDetailResponse extends ReportResponse {
  @TextField({ description: 'Always `success`.' })
  message: string;

  @EnumField(REPORT_STATUSES, { description: '`COMPLETED` when every cell is final and the score is known.' })
  status: string;

  @ApiProperty({ type: () => ReportStats, description: 'How many cells are in which state.' })
  stats: ReportStats;

  @ApiProperty({ type: () => [ReportColumnBody], description: 'All columns, those of the dataset first.' })
  report_columns: ReportColumnBody[];
}

export class ReportScoreResponse {
  @SuccessField()
  success: true;

  @TextField({ description: 'Always `success`.' })
  message: string;

  @ApiProperty({ type: () => ReportScoreBody, description: 'The score of the run.' })
  score: ReportScore;
}
