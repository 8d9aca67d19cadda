import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  MAX_ID,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import type { JsonObject } from '../../platform/json.js';
import { DATASET_TYPE, REPORT_COLUMN_TYPES } from './report-column-types.js';

export const MAX_NAME = 255;
const MAX_POSITION = 1_000_000;

const TypeField = () =>
  TextField({
    minLength: 1,
    maxLength: 64,
    description: `One of ${REPORT_COLUMN_TYPES.join(', ')}, in any letter case. What the server has no provider for is taken all the same; its cells fail and say so.`,
    example: 'CONTAINS',
  });

const ConfigurationField = (options: { nullable?: boolean } = {}) =>
  JsonObjectField({
    like: 'ColumnConfig',
    ...options,
    optional: options.nullable,
    description:
      'What the type needs; see the configs of GET /api/public/v2/column-types. Columns are named by their names, and only those to the left can be. An evaluation column comes before a column of the dataset of the same name.',
    example: { source: 'answer', value: 'refund' },
  });

const PositionField = () =>
  IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_POSITION,
    description:
      'From 0, and the columns of the dataset come first. At the end when it is left out or beyond the end; others move to the right.',
    example: 2,
  });

const PartOfScoreField = () =>
  BooleanField({
    optional: true,
    default: false,
    description: 'Whether it counts for the score. When no column does, the last one counts.',
  });

/** A column of a pipeline that is created with it. */
export class EvaluationColumnDefinition {
  @TypeField()
  column_type: string;

  @TextField({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'No other column may have it.',
    example: 'Mentions refund',
  })
  name: string;

  @ConfigurationField()
  configuration: JsonObject;

  @PositionField()
  position?: number | null;

  @PartOfScoreField()
  is_part_of_score?: boolean;
}

export class AddReportColumnRequest extends EvaluationColumnDefinition {
  @IntegerField({ min: 1, max: MAX_ID, description: 'A pipeline.', example: 1 })
  report_id: number;
}

export class EditReportColumnRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The pipeline that has the column.', example: 1 })
  report_id: number;

  @TypeField()
  column_type: string;

  @ConfigurationField({ nullable: true })
  configuration?: JsonObject | null;

  @TextField({ optional: true, nullable: true, minLength: 1, maxLength: MAX_NAME, description: 'null keeps it.' })
  name?: string | null;

  @PositionField()
  position?: number | null;

  @BooleanField({ optional: true, nullable: true, description: 'Left out, it stays as it is.' })
  is_part_of_score?: boolean | null;
}

export class ReportColumnPath {
  @IntegerField({
    query: true,
    min: 1,
    max: MAX_ID,
    description: 'Id of the column, from `report_columns` of its report.',
  })
  report_column_id: number;
}

export class ReportColumnBody {
  @IntegerField({ description: 'Id of the column.' })
  id: number;

  @IntegerField({ description: 'Id of the pipeline or run that has the column.' })
  report_id: number;

  @EnumField([DATASET_TYPE, ...REPORT_COLUMN_TYPES], {
    description: 'Type of the column. `DATASET` is a column of the dataset, which cannot be changed here.',
  })
  column_type: string;

  @TextField({ description: 'Name of the column, unique in the report.' })
  name: string;

  @IntegerField({ description: 'From 0; the columns of the dataset come first.' })
  position: number;

  @BooleanField({ description: 'Whether the column counts for the score.' })
  is_part_of_score: boolean;

  @JsonObjectField({
    like: 'ColumnConfig',
    description: 'As it was given. Where a column that it names was renamed, it has the new name.',
  })
  configuration: JsonObject;

  @NumberField({
    optional: true,
    nullable: true,
    description:
      'In a completed run: the percentage of true cells, or the mean of numbers; null for a column without a score.',
  })
  score?: number | null;
}

export class ReportColumnResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ReportColumnBody, description: 'The column afterwards.' })
  report_column: ReportColumnBody;
}
