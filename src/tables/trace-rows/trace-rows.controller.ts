import { Body, Controller } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { TraceErrors } from '../../traces/index.js';
import { GridErrors } from '../grid/grid.errors.js';
import { TableErrors } from '../tables.errors.js';
import { AddTraceRequest, AddTraceResponse, toTraceForSheet } from './trace-rows.dto.js';
import { TraceRowErrors } from './trace-rows.errors.js';
import { TraceRowsService } from './trace-rows.service.js';

@ApiTags('Imports')
@Controller('api/public/v2/dataset-versions')
export class TraceRowsController {
  constructor(private readonly traceRows: TraceRowsService) {}

  @IdempotentPost('add-trace')
  @ApiOperation({
    summary: 'Add a trace to a sheet, as a row.',
    description:
      'The tree of its spans goes into the column "Trace", which is added where it is missing; a text column of that title becomes one of traces. A trace that has not arrived yet is waited for up to three seconds.',
  })
  @Can('TABLE_EDIT')
  @ApiCreatedResponse({ type: AddTraceResponse })
  @Validates()
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    TraceErrors.trace_not_found,
    TraceErrors.span_not_found,
    TraceErrors.trace_too_large,
    TraceRowErrors.trace_column_computed,
    TraceRowErrors.dataset_traces_unsupported,
    GridErrors.row_limit_exceeded,
  )
  async add(@CurrentCaller() caller: Caller, @Body() body: AddTraceRequest): Promise<AddTraceResponse> {
    const wanted = toTraceForSheet(body);
    const { rowIndex, cells, version } = await this.traceRows.add(caller, wanted);
    return {
      success: true,
      rows_added: 1,
      mode: wanted.spanId === null ? 'trace' : 'span',
      row_index: rowIndex,
      row: { row_index: rowIndex, cells },
      version,
    };
  }
}
