import { BodyIdField, MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { type Base64Text, Base64Field } from '../../platform/http/base64.js';
import { EnumField, IntegerField, ListField, MAX_ID, TextField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { ImportedFilterGroupField, ImportedWordsField, REQUEST_SORTS, type RequestSort } from '../../requests/index.js';
import { MAX_IMPORTED_LOGS } from '../../imports/index.js';

export class DatasetGroupRequest {
  @IntegerField({ min: 1, max: MAX_ID, description: 'The dataset: the id of its group.', example: 1 })
  dataset_group_id: number;
}

export class CreateDraftRequest extends DatasetGroupRequest {
  @BodyIdField('A saved version of the same group whose rows are copied into the draft. Default: an empty draft.')
  source_dataset_id?: number | null;
}

export class AddRequestLogRequest extends DatasetGroupRequest {
  @IntegerField({ min: 1, description: 'The request log that becomes a row.', example: 1 })
  request_log_id: number;
}

export class FromFileRequest extends DatasetGroupRequest {
  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'The name of the file, ending in `.csv` or `.json`.',
    example: 'questions.csv',
  })
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
      'Exactly these request logs, in this order. Takes precedence over `filter_group`; such a version cannot be refreshed later.',
  })
  request_log_ids?: number[] | null;

  @ImportedFilterGroupField()
  filter_group?: JsonObject | null;

  @ImportedWordsField()
  q?: string | null;

  @EnumField(REQUEST_SORTS, {
    optional: true,
    nullable: true,
    description: 'The value to sort by. Default: newest first.',
  })
  sort_by?: RequestSort | null;

  @EnumField(['asc', 'desc'], {
    optional: true,
    nullable: true,
    description: 'The direction of `sort_by`. Default: descending.',
  })
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
  @SuccessField()
  success: true;

  @MessageField()
  message: string;
}

export class DraftResponse extends DatasetJobResponse {
  @IntegerField({ description: 'The id of the draft.' })
  draft_dataset_id: number;
}

export class FromFileResponse extends DatasetJobResponse {
  @IntegerField({ description: 'The id of the version. Its rows appear when the file has been read.' })
  dataset_id: number;
}

export class FromFilterParamsResponse extends DatasetJobResponse {
  @IntegerField({ description: 'The id of the version. Its rows appear when the logs have been read.' })
  dataset_id: number;

  @IntegerField({ description: 'The group that the version belongs to.' })
  dataset_group_id: number;

  @IntegerField({ description: 'Always -1: the version gets its number once its rows are stored.' })
  version_number: number;
}
