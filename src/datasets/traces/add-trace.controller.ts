import { Body, Controller, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { markDeprecated } from '../../platform/http/deprecated.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { ImportErrors } from '../../imports/index.js';
import { TableErrors, type TraceForSheet, TraceRowErrors, TraceRowsService } from '../../tables/index.js';
import { TraceErrors } from '../../traces/index.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import {
  AddTraceRequest,
  AddTraceToDatasetResponse,
  AddTraceToSheetResponse,
  type TraceForDataset,
  toTraceTarget,
} from './add-trace.dto.js';
import { DatasetTracesService } from './dataset-traces.service.js';

/** One route for sheets and datasets, because clients of both use it. */
@ApiTags('Imports')
@ApiExtraModels(AddTraceToSheetResponse, AddTraceToDatasetResponse)
@Controller('api/public/v2/dataset-versions')
export class AddTraceController {
  constructor(
    private readonly sheetTraces: TraceRowsService,
    private readonly datasetTraces: DatasetTracesService,
  ) {}

  @IdempotentPost('add-trace')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Add a trace to a sheet, or to the draft of a dataset, as a row.',
    description:
      'In a sheet the tree of its spans goes into the column "Trace", which is added where it is missing; a text column of that title becomes one of traces. In a dataset the root span and each of its direct children gets a column; a dataset without a draft gets one with the rows of its newest version. A trace that has not arrived yet is waited for up to three seconds.',
  })
  @ApiCreatedResponse({
    schema: {
      oneOf: [{ $ref: getSchemaPath(AddTraceToSheetResponse) }, { $ref: getSchemaPath(AddTraceToDatasetResponse) }],
    },
  })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    DatasetErrors.dataset_group_not_found,
    DatasetErrors.dataset_draft_not_found,
    TraceErrors.trace_not_found,
    TraceErrors.span_not_found,
    TraceErrors.trace_too_large,
    TraceRowErrors.trace_column_computed,
    GridErrors.row_limit_exceeded,
    ImportErrors.import_columns_exceeded,
    AccessErrors.permission_missing,
  )
  async add(
    @CurrentCaller() caller: Caller,
    @Body() body: AddTraceRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AddTraceToSheetResponse | AddTraceToDatasetResponse> {
    const target = toTraceTarget(body);
    if ('sheet' in target) return this.addToSheet(caller, target.sheet);
    markDeprecated(reply, '/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows');
    return this.addToDataset(caller, target.dataset);
  }

  private async addToSheet(caller: Caller, wanted: TraceForSheet): Promise<AddTraceToSheetResponse> {
    const { rowIndex, cells, version } = await this.sheetTraces.add(caller, wanted);
    const row = { row_index: rowIndex, cells };
    return { success: true, rows_added: 1, mode: modeOf(wanted), row_index: rowIndex, row, version };
  }

  private async addToDataset(caller: Caller, wanted: TraceForDataset): Promise<AddTraceToDatasetResponse> {
    const { id } = await this.datasetTraces.add(caller, wanted);
    return { success: true, draft_dataset_id: id, mode: modeOf(wanted) };
  }
}

const modeOf = ({ spanId }: { spanId: string | null }) => (spanId === null ? 'trace' : 'span');
