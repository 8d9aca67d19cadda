import { ApiProperty } from '@nestjs/swagger';
import { type Base64Text, Base64Field } from '../../platform/http/base64.js';
import { EnumField, IntegerField, JsonObjectField, ListField, MAX_ID, TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { REQUEST_FILTER_GROUP, REQUEST_SORTS, type RequestSort } from '../../requests/index.js';
import { MAX_IMPORTED_LOGS } from '../../tables/index.js';

export class DatasetGroupRequest {
  @IntegerField({ min: 1, max: MAX_ID, example: 1 })
  dataset_group_id: number;
}

export class CreateDraftRequest extends DatasetGroupRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_ID,
    description: 'A saved version of the same group, whose rows the draft begins with. By default it begins empty.',
  })
  source_dataset_id?: number | null;
}

export class AddRequestLogRequest extends DatasetGroupRequest {
  @IntegerField({ min: 1, example: 1 })
  request_log_id: number;
}

export class FromFileRequest extends DatasetGroupRequest {
  @TextField({ minLength: 1, maxLength: 255, description: 'Ends in `.csv` or `.json`.', example: 'questions.csv' })
  file_name: string;

  @Base64Field({
    minLength: 1,
    description:
      'CSV after RFC 4180 in UTF-8, with the titles of the columns in the first row, or a JSON list of objects, whose keys become the columns.',
    example: 'cXVlc3Rpb24sYW5zd2VyCkhpLEhlbGxvCg==',
  })
  file_content_base64: Base64Text;
}

export class FromFilterParamsRequest extends DatasetGroupRequest {
  @ListField('integer', {
    optional: true,
    nullable: true,
    maxItems: MAX_IMPORTED_LOGS,
    min: 1,
    description:
      'Exactly these request logs, in this order. They win over `filter_group`, and cannot be searched for again later.',
  })
  request_log_ids?: number[] | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    like: REQUEST_FILTER_GROUP,
    description:
      'Which request logs: `{logic: AND|OR, filters: [{field, operator, value, nested_key}, …]}`. No filters means all.',
    example: { filters: [{ field: 'provider_type', operator: 'is', value: 'openai' }] },
  })
  filter_group?: JsonObject | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1000,
    description: 'Words that must all occur in the input or output.',
  })
  q?: string | null;

  @EnumField(REQUEST_SORTS, { optional: true, nullable: true, description: 'By default newest first.' })
  sort_by?: RequestSort | null;

  @EnumField(['asc', 'desc'], { optional: true, nullable: true, description: 'Descending by default.' })
  sort_order?: 'asc' | 'desc' | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 900,
    description: 'Input variables to make columns of; by default all that occur.',
  })
  variables_to_parse?: string[] | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    description: `The largest number of request logs; never more than ${MAX_IMPORTED_LOGS}.`,
  })
  limit?: number | null;
}

class DatasetJobResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;
}

export class DraftResponse extends DatasetJobResponse {
  @IntegerField()
  draft_dataset_id: number;
}

export class FromFileResponse extends DatasetJobResponse {
  @IntegerField()
  dataset_id: number;
}

export class FromFilterParamsResponse extends DatasetJobResponse {
  @IntegerField()
  dataset_id: number;

  @IntegerField()
  dataset_group_id: number;

  @IntegerField({ description: '-1: it gets its number when its rows are there.' })
  version_number: number;
}
