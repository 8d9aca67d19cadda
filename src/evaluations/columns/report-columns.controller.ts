import { Body, Controller, Delete, HttpCode, Param, Patch } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Deprecated } from '../../platform/http/deprecated.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { toColumnBody } from '../reports/report-bodies.js';
import { COLUMN_ERRORS } from '../reports/reports.controller.js';
import {
  AddReportColumnRequest,
  EditReportColumnRequest,
  ReportColumnPath,
  ReportColumnResponse,
} from './report-columns.dto.js';
import { ReportColumnsService, type ShownColumn } from './report-columns.service.js';

@ApiTags('Evaluations')
@Deprecated('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/columns')
@Controller('report-columns')
export class ReportColumnsController {
  constructor(private readonly columns: ReportColumnsService) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Add a column to a pipeline.',
    description:
      'Its preview is computed, and that of the columns to its right again. Nothing is added when the configuration does not fit the type, or names a column that does not exist or stands to the right. The columns of runs are fixed: 400 `report_run_fixed`.',
  })
  @ApiCreatedResponse({ type: ReportColumnResponse })
  @Throws(
    ...COLUMN_ERRORS,
    EvaluationErrors.report_run_fixed,
    AccessErrors.permission_missing,
    EvaluationErrors.evaluation_not_found,
  )
  async add(@CurrentCaller() caller: Caller, @Body() body: AddReportColumnRequest): Promise<ReportColumnResponse> {
    return toResponse(await this.columns.add(caller, body));
  }

  @Patch(':report_column_id')
  @ApiOperation({
    summary: 'Change or move a column of a pipeline.',
    description:
      '`column_type` is required; everything else that is left out stays. The preview of the column and of those to its right is computed again. The columns of runs and of the dataset cannot be changed: 400 `report_run_fixed`, `dataset_column_fixed`.',
  })
  @ApiOkResponse({ type: ReportColumnResponse })
  @Throws(
    ...COLUMN_ERRORS,
    EvaluationErrors.report_run_fixed,
    AccessErrors.permission_missing,
    EvaluationErrors.report_column_not_found,
  )
  async edit(
    @CurrentCaller() caller: Caller,
    @Param() path: ReportColumnPath,
    @Body() body: EditReportColumnRequest,
  ): Promise<ReportColumnResponse> {
    return toResponse(await this.columns.edit(caller, path.report_column_id, body));
  }

  @Delete(':report_column_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Delete a column of a pipeline.',
    description:
      'Returns 204 without a body. Columns that read the deleted one fail until they are changed. The columns of runs and of the dataset cannot be deleted: 400 `report_run_fixed`, `dataset_column_fixed`.',
  })
  @ApiNoContentResponse()
  @Throws(
    EvaluationErrors.dataset_column_fixed,
    EvaluationErrors.report_run_fixed,
    AccessErrors.permission_missing,
    EvaluationErrors.report_column_not_found,
  )
  delete(@CurrentCaller() caller: Caller, @Param() path: ReportColumnPath): Promise<void> {
    return this.columns.remove(caller, path.report_column_id);
  }
}

function toResponse({ report, column }: ShownColumn): ReportColumnResponse {
  return { success: true, report_column: toColumnBody(report, column) };
}
