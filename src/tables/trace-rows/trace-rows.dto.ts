import { ApiProperty } from '@nestjs/swagger';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { EnumField, IntegerField, JsonObjectField, TextField, UuidField } from '../../platform/http/fields.js';
import type { JsonObject } from '../../platform/json.js';
import { EXAMPLE_TRACE_ID } from '../../platform/example-data.js';
import { TABLE_EXAMPLES } from '../example-ids.js';
import { RowBody } from '../rows/rows.dto.js';
import { TraceRowErrors } from './trace-rows.errors.js';

export const TREE_MODES = ['trace', 'span'] as const;

export class AddTraceRequest {
  @TextField({ minLength: 1, maxLength: 1024, example: EXAMPLE_TRACE_ID })
  trace_id: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 1024,
    description: 'A span of the trace: the row gets the tree of that span instead of the whole trace.',
  })
  span_id?: string | null;

  @UuidField({
    optional: true,
    nullable: true,
    description: 'The table. Required, like `sheet_id`.',
    example: TABLE_EXAMPLES.ids.table_id,
  })
  smart_table_id?: string | null;

  @UuidField({ optional: true, nullable: true, example: TABLE_EXAMPLES.ids.sheet_id })
  sheet_id?: string | null;

  @JsonObjectField({
    optional: true,
    nullable: true,
    description: 'Kept with the version that this makes, up to 10,000 characters of JSON.',
    example: { eval_name: 'Refunds' },
  })
  metadata?: JsonObject | null;

  @IntegerField({ optional: true, nullable: true, min: 1, description: 'Datasets cannot take traces yet.' })
  dataset_group_id?: number | null;
}

export class AddTraceResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField({ example: 1 })
  rows_added: number;

  @EnumField(TREE_MODES, { description: '`span` when the request named one.' })
  mode: (typeof TREE_MODES)[number];

  @IntegerField()
  row_index: number;

  @ApiProperty({ type: () => RowBody, description: 'A cell for every column, those of the server included.' })
  row: RowBody;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

/** A trace and the sheet that gets a row of it. */
export interface TraceForSheet {
  tableId: string;
  sheetId: string;
  traceId: string;
  spanId: string | null;
  metadata: JsonObject;
}

const MAX_METADATA = 10_000;

/** Throws a 422 for a request of neither form or of both, dataset_traces_unsupported. */
export function toTraceForSheet(body: AddTraceRequest): TraceForSheet {
  const { smart_table_id: tableId, sheet_id: sheetId, dataset_group_id: dataset, metadata } = body;
  if (dataset != null && (tableId != null || sheetId != null)) {
    throw refused('dataset_group_id', 'Give either dataset_group_id, or smart_table_id and sheet_id', 'value_error');
  }
  if (dataset != null) throw TraceRowErrors.dataset_traces_unsupported();
  if (tableId == null) throw refused('smart_table_id', 'Field required', 'missing');
  if (sheetId == null) throw refused('sheet_id', 'Field required', 'missing');
  if (JSON.stringify(metadata ?? {}).length > MAX_METADATA) {
    throw refused('metadata', `Metadata should have at most ${MAX_METADATA} characters of JSON`, 'string_too_long');
  }
  return { tableId, sheetId, traceId: body.trace_id, spanId: body.span_id || null, metadata: metadata ?? {} };
}

function refused(field: string, msg: string, type: string): ValidationProblem {
  return new ValidationProblem([{ loc: ['body', field], msg, type }]);
}
