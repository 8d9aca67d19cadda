import { ApiProperty } from '@nestjs/swagger';
import { BodyIdField, SuccessField } from '../../platform/http/common-fields.js';
import { EXAMPLE_TRACE_ID } from '../../platform/example-data.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { EnumField, IntegerField, JsonObjectField, TextField, UuidField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { RowBody, TABLE_EXAMPLES, type TraceForSheet } from '../../tables/index.js';

export const TREE_MODES = ['trace', 'span'] as const;
export type TreeMode = (typeof TREE_MODES)[number];

export class AddTraceRequest {
  @TextField({
    minLength: 1,
    maxLength: 1024,
    description: 'The id of the trace, as senders gave it.',
    example: EXAMPLE_TRACE_ID,
  })
  trace_id: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1024,
    description: 'A span of the trace. The row then holds the tree below that span instead of the whole trace.',
  })
  span_id?: string | null;

  @UuidField({
    optional: true,
    nullable: true,
    description: 'The table. Required together with `sheet_id`, unless a dataset is named.',
    example: TABLE_EXAMPLES.ids.table_id,
  })
  smart_table_id?: string | null;

  @UuidField({
    optional: true,
    nullable: true,
    description: 'The sheet that gets the row. Required together with `smart_table_id`, unless a dataset is named.',
    example: TABLE_EXAMPLES.ids.sheet_id,
  })
  sheet_id?: string | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Metadata to keep with the new version of the sheet, up to 10,000 characters of JSON.',
    example: { eval_name: 'Refunds' },
  })
  metadata?: JsonObject | null;

  @BodyIdField('The dataset whose draft gets the row, in place of a table and a sheet.')
  dataset_group_id?: number | null;
}

export class AddTraceToSheetResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'How many rows were added: always 1.', example: 1 })
  rows_added: number;

  @EnumField(TREE_MODES, { description: '`span` if the request named a span, otherwise `trace`.' })
  mode: TreeMode;

  @IntegerField({ description: 'The index of the new row, counted from 0.' })
  row_index: number;

  @ApiProperty({
    type: () => RowBody,
    description: 'The new row, with a cell for every column, system columns included.',
  })
  row: RowBody;

  @IntegerField({ description: 'The version of the sheet after the change.' })
  version: number;
}

export class AddTraceToDatasetResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'The draft that has the new row. It is created when the dataset has none.' })
  draft_dataset_id: number;

  @EnumField(TREE_MODES, { description: '`span` if the request named a span, otherwise `trace`.' })
  mode: TreeMode;
}

/** A trace, and the dataset whose draft gets its row. */
export interface TraceForDataset {
  groupId: number;
  traceId: string;
  spanId: string | null;
}

const MAX_METADATA = 10_000;

/** The target of a trace. Throws a 422 for a request of neither form or of both. */
export function toTraceTarget(body: AddTraceRequest): { sheet: TraceForSheet } | { dataset: TraceForDataset } {
  const { smart_table_id: tableId, sheet_id: sheetId, dataset_group_id: groupId, metadata } = body;
  const traced = { traceId: body.trace_id, spanId: body.span_id || null };
  if (groupId != null && (tableId != null || sheetId != null)) {
    throw refused('dataset_group_id', 'Give either dataset_group_id, or smart_table_id and sheet_id', 'value_error');
  }
  if (groupId != null) return { dataset: { ...traced, groupId } };
  if (tableId == null) throw refused('smart_table_id', 'Field required', 'missing');
  if (sheetId == null) throw refused('sheet_id', 'Field required', 'missing');
  if (JSON.stringify(metadata ?? {}).length > MAX_METADATA) {
    throw refused('metadata', `Metadata should have at most ${MAX_METADATA} characters of JSON`, 'string_too_long');
  }
  return { sheet: { ...traced, tableId, sheetId, metadata: metadata ?? {} } };
}

function refused(field: string, msg: string, type: string): ValidationProblem {
  return new ValidationProblem([{ loc: ['body', field], msg, type }]);
}
