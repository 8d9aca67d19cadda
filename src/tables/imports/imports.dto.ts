import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, EnumField, IntegerField, ListField, TextField } from '../../platform/http/fields.js';
import { IMPORT_ID, IMPORT_STATUS, ROWS_ADDED, FILE_NAME } from '../shared/field-descriptions.js';
import { BodyNameField, MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import type { JsonObject } from '../../platform/json.js';
import { ImportedFilterGroupField, ImportedWordsField, REQUEST_SORTS, type RequestSort } from '../../requests/index.js';
import { type Base64Text, Base64Field } from '../../platform/http/base64.js';
import { TablePath } from '../sheets/sheets.dto.js';
import {
  IMPORT_SOURCES,
  IMPORT_STATUSES,
  type ImportOperation,
  MAX_IMPORTED_LOGS,
  toFileImport,
} from '../../imports/index.js';

/** One character other than a quote or a line break. */
export const DELIMITER = /^[^"\r\n\w]$/;
export const DELIMITER_HELP =
  'The separator of the fields of a CSV. By default a first line such as `sep=;` decides, otherwise the server detects a comma, semicolon, tab or |.';

export class ImportOperationPath extends TablePath {
  @TextField({ query: true, minLength: 1, maxLength: 255, description: IMPORT_ID })
  operation_id: string;
}

const NewOperationIdField = () =>
  BodyNameField({
    description:
      'Your id for the import, unique in the workspace. Repeating the request with it starts no second import. Default: a UUID.',
  });

/** Rejects unknown keys. */
@Closed()
export class ImportFileRequest {
  @NewOperationIdField()
  operation_id?: string | null;

  @TextField({
    minLength: 1,
    maxLength: 255,
    description: 'Name of the file, which must end in `.csv`.',
    example: 'answers.csv',
  })
  file_name: string;

  @Base64Field({
    description:
      'CSV after RFC 4180 in UTF-8, or in UTF-16 with a byte order mark. The first row holds the titles of the columns: at most 999, each different and of 1 to 255 characters. Blank lines are skipped, and so are columns at the end that have neither a title nor values.',
    example: 'aW5wdXQK',
  })
  file_content_base64: Base64Text;

  @TextField({ optional: true, nullable: true, pattern: DELIMITER, description: DELIMITER_HELP, example: ';' })
  delimiter?: string | null;
}

/** Rejects unknown keys. */
@Closed()
export class ImportRequestLogsRequest {
  @ImportedFilterGroupField()
  filter_group?: JsonObject | null;

  @ImportedWordsField()
  q?: string | null;

  @EnumField(REQUEST_SORTS, {
    optional: true,
    nullable: true,
    description: 'Order of the rows, together with `sort_order`. Default: the newest call first.',
  })
  sort_by?: RequestSort | null;

  @EnumField(['asc', 'desc'], {
    optional: true,
    nullable: true,
    description: 'Direction of `sort_by`: give both or neither.',
  })
  sort_order?: 'asc' | 'desc' | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1024,
    description: 'Accepted and ignored: it has no effect on rows.',
  })
  metadata_cost_breakdown_key?: string | null;

  @NewOperationIdField()
  operation_id?: string | null;

  @ListField('integer', {
    optional: true,
    nullable: true,
    minItems: 1,
    maxItems: MAX_IMPORTED_LOGS,
    min: 1,
    description: 'Imports exactly these request logs, in this order.',
  })
  request_log_ids?: number[] | null;

  @ListField('string', {
    optional: true,
    maxItems: 900,
    description: 'Input variables to make columns of; by default all that occur.',
  })
  variables_to_parse?: string[];

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 90,
    description:
      'Further fields to make columns of. `error` becomes one by itself when one of the requests has an error.',
    example: ['engine', 'latency_ms'],
  })
  include_fields?: string[] | null;

  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: MAX_IMPORTED_LOGS,
    description: 'The largest number of request logs to import.',
  })
  limit?: number | null;
}

export class ImportOperationBody {
  @TextField({ description: IMPORT_ID })
  operation_id: string;

  @EnumField(IMPORT_SOURCES, { description: 'Where the rows come from. `sheet` is a copy of a dataset.' })
  source: string;

  @EnumField(IMPORT_STATUSES, { description: IMPORT_STATUS })
  status: string;

  @IntegerField({ description: 'Progress in percent. It never decreases.', max: 100 })
  progress: number;

  @TextField({ nullable: true, description: 'Summary of the import, in a sentence; null until it has completed.' })
  message: string | null;

  @IntegerField({ nullable: true, description: ROWS_ADDED })
  rows_added: number | null;

  @IntegerField({
    nullable: true,
    description: 'Number of rows in the sheet afterwards; null until the import has completed.',
  })
  row_count: number | null;

  @TextField({ nullable: true, description: FILE_NAME })
  file_name: string | null;

  @TextField({
    nullable: true,
    description: 'The separator of the fields of the CSV; null when the file is not a CSV.',
  })
  delimiter: string | null;

  @TextField({
    nullable: true,
    description: 'Why the import failed; null otherwise. After a failure the sheet is as it was before.',
  })
  error_message: string | null;

  @DateTimeField({ description: 'When the import was requested, in UTC.' })
  created_at: string;

  @DateTimeField({ description: 'When the progress or the state last changed, in UTC.' })
  updated_at: string;
}

export class ImportOperationResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => ImportOperationBody, description: 'The import as it is now.' })
  operation: ImportOperationBody;
}

export class ImportStartResponse extends ImportOperationResponse {
  @MessageField()
  message: string;

  @TextField({ description: IMPORT_ID })
  operation_id: string;

  @TextField({ description: 'Path of the import on this server. GET returns its progress, DELETE cancels it.' })
  status_url: string;
}

export function toImportOperationBody(operation: ImportOperation): ImportOperationBody {
  const finished = operation.status === 'completed';
  return {
    operation_id: operation.id,
    source: operation.source,
    status: operation.status,
    progress: operation.progress,
    message: operation.message,
    rows_added: finished ? operation.rowsAdded : null,
    row_count: operation.rowCount,
    file_name: operation.fileName,
    delimiter: operation.source === 'file' ? (toFileImport(operation.request).dialect?.delimiter ?? null) : null,
    error_message: operation.errorMessage,
    created_at: operation.createdAt.toISOString(),
    updated_at: operation.updatedAt.toISOString(),
  };
}

/** The path of an import. Its name was chosen by a client. */
export function importUrl({ tableId, id }: Pick<ImportOperation, 'tableId' | 'id'>): string {
  return `/api/public/v2/tables/${tableId}/sheets/operations/${encodeURIComponent(id)}`;
}
