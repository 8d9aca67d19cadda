import { ApiProperty } from '@nestjs/swagger';
import { z } from 'zod';
import { MAX_ID, TextField } from '../../platform/http/fields.js';
import { IMPORT_ID } from '../shared/field-descriptions.js';
import { BodyIndexField, BodyNameField, MessageField } from '../../platform/http/common-fields.js';
import { anyTime } from '../../platform/http/any-time.js';
import { type Base64Text, isBase64Text } from '../../platform/http/base64.js';
import { closedObject, SchemaField } from '../../platform/http/schema-field.js';
import { REQUEST_FILTER_GROUP, REQUEST_SORTS } from '../../requests/index.js';
import { SheetResponse } from '../sheets/sheets.dto.js';
import { DELIMITER, DELIMITER_HELP, ImportOperationBody } from './imports.dto.js';
import { MAX_IMPORTED_LOGS } from '../../imports/index.js';

const id = (description: string) => z.int().min(1).max(MAX_ID).nullish().meta({ description });

const FileSource = z
  .object({
    type: z.literal('file').meta({ description: 'Fills the sheet from a file.' }),
    file_name: z.string().meta({ description: 'Ends in `.csv` or `.json`.', example: 'answers.csv' }),
    file_content_base64: z
      .custom<Base64Text>(isBase64Text, 'Input should be a valid string')
      .meta({ type: 'string', format: 'byte', description: 'A CSV as in RFC 4180, or a JSON list of objects.' }),
    delimiter: z
      .string()
      .regex(DELIMITER, 'Input should be one character that can separate fields')
      .nullish()
      .meta({ description: DELIMITER_HELP, example: ';' }),
  })
  .meta({ id: 'SheetFromFile' });

const LogsSource = closedObject({
  type: z.literal('request_logs').meta({ description: 'Fills the sheet from request logs.' }),
  request_log_ids: z
    .array(z.int().min(1))
    .min(1)
    .max(MAX_IMPORTED_LOGS)
    .nullish()
    .meta({ description: 'Imports exactly these request logs, in this order. Unknown ids are ignored.' }),
  prompt_id: id('Only calls of the prompt with this id.'),
  prompt_version_id: id('Only calls of the version of a prompt with this id.'),
  prompt_label_id: id('Only calls of the version that the label is on when the import begins.'),
  start_time: anyTime.nullish().meta({ description: 'Only calls that began at this time or later.' }),
  end_time: anyTime.nullish().meta({ description: 'Only calls that began at this time or earlier.' }),
  filter_group: z
    .record(z.string(), z.unknown())
    .meta({ $ref: `#/components/schemas/${REQUEST_FILTER_GROUP}` })
    .nullish()
    .meta({ description: 'Which request logs. Without filters and ids, all of them.' }),
  q: z.string().max(1000).nullish().meta({ description: 'Words that must all occur in the input or output.' }),
  sort_by: z
    .enum(REQUEST_SORTS)
    .nullish()
    .meta({ description: 'Order of the rows, together with `sort_order`. By default the newest call first.' }),
  sort_order: z.enum(['asc', 'desc']).nullish().meta({ description: 'Direction of `sort_by`: give both or neither.' }),
  metadata_cost_breakdown_key: z
    .string()
    .max(1024)
    .nullish()
    .meta({ description: 'Accepted and ignored: it has no effect on rows.' }),
  variables_to_parse: z
    .array(z.string())
    .max(900)
    .nullish()
    .meta({ description: 'Input variables to make columns of; by default all that occur.' }),
  include_fields: z
    .array(z.string())
    .max(90)
    .nullish()
    .meta({ description: 'Further fields to make columns of, such as `engine` or `latency_ms`.' }),
  limit: z
    .int()
    .min(1)
    .max(MAX_IMPORTED_LOGS)
    .nullish()
    .meta({ description: 'The largest number of request logs to import. By default 50,000.' }),
}).meta({ id: 'SheetFromRequestLogs' });

export type SheetSource = z.infer<typeof FileSource> | z.infer<typeof LogsSource>;

export class CreateSheetRequest {
  @BodyNameField({
    description:
      'Title of the sheet, which need not be unique. By default `Sheet 1`, `Sheet 2` and so on, the name of the file, or `Request Logs`.',
    example: 'Returns of May',
  })
  title?: string | null;

  @BodyIndexField('Position among the sheets of the table, from 0; the sheets after it shift. Default: the end.')
  index?: number | null;

  @BodyNameField({
    description:
      'Your id for the import, unique in the workspace. Repeating the request with it creates no second sheet. Only together with `source`.',
  })
  operation_id?: string | null;

  @SchemaField(z.discriminatedUnion('type', [FileSource, LogsSource]), {
    optional: true,
    nullable: true,
    description: 'The source of the rows. Without it the sheet has one text column and one empty row.',
  })
  source?: SheetSource | null;
}

export class CreateSheetFromSourceResponse extends SheetResponse {
  @MessageField()
  message: string;

  @TextField({ description: IMPORT_ID })
  operation_id: string;

  @ApiProperty({ type: () => ImportOperationBody, description: 'The import that fills the sheet.' })
  operation: ImportOperationBody;
}
