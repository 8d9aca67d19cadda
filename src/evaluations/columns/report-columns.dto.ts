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
import { PathIdField, SuccessField } from '../../platform/http/common-fields.js';
import type { JsonObject } from '../../platform/json.js';
import { DATASET_TYPE, REPORT_COLUMN_TYPES } from './report-column-types.js';

export const MAX_NAME = 255;
const MAX_POSITION = 1_000_000;

const TypeField = () =>
  TextField({
    minLength: 1,
    maxLength: 64,
    description: `Type of the column, in any letter case: one of ${REPORT_COLUMN_TYPES.join(', ')}. Types that this server does not provide are accepted, but their cells fail.`,
    example: 'CONTAINS',
  });

const ConfigurationField = (options: { nullable?: boolean } = {}) =>
  JsonObjectField({
    like: 'ColumnConfig',
    ...options,
    optional: options.nullable,
    description:
      'Config of the type: see `GET /api/public/v2/column-types`. Only columns to the left can be named, by their exact names. Of two columns with the same name the evaluation column is meant.',
    example: { source: 'answer', value: 'refund' },
  });

const PositionField = () =>
  IntegerField({
    optional: true,
    nullable: true,
    min: 0,
    max: MAX_POSITION,
    description:
      'Position of the column, from 0; the columns of the dataset come first, and those after it shift. Default: the end.',
    example: 2,
  });

const PartOfScoreField = () =>
  BooleanField({
    optional: true,
    default: false,
    description: 'Whether the column counts for the score. When no column does, the last one counts.',
  });

/** A column of a pipeline that is created with it. */
export class EvaluationColumnDefinition {
  @TypeField()
  column_type: string;

  @TextField({
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'Name of the column, unique in the report.',
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
  @IntegerField({ min: 1, max: MAX_ID, description: 'Id of the pipeline to add the column to.', example: 1 })
  report_id: number;
}

export class EditReportColumnRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'Id of the pipeline that has the column.', example: 1 })
  report_id: number;

  @TypeField()
  column_type: string;

  @ConfigurationField({ nullable: true })
  configuration?: JsonObject | null;

  @TextField({
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: MAX_NAME,
    description: 'A new name, unique in the report. Null leaves it as it is.',
  })
  name?: string | null;

  @PositionField()
  position?: number | null;

  @BooleanField({
    optional: true,
    nullable: true,
    description: 'Whether the column counts for the score. Null leaves it as it is.',
  })
  is_part_of_score?: boolean | null;
}

export class ReportColumnPath {
  @PathIdField('Id of the column, from `report_columns` of its report.')
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

  @IntegerField({ description: 'Position of the column, from 0. The columns of the dataset come first.' })
  position: number;

  @BooleanField({ description: 'Whether the column counts for the score.' })
  is_part_of_score: boolean;

  @JsonObjectField({
    like: 'ColumnConfig',
    description: 'The configuration as it was given, with columns under their present names.',
  })
  configuration: JsonObject;

  @NumberField({
    optional: true,
    nullable: true,
    description:
      'Percentage of true cells, or the mean of numbers; present in completed runs for columns with a score.',
  })
  score?: number | null;
}

export class ReportColumnResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ReportColumnBody, description: 'The column afterwards.' })
  report_column: ReportColumnBody;
}
