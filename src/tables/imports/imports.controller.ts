import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../tables.errors.js';
import {
  ImportOperationPath,
  ImportOperationResponse,
  ImportRequestLogsRequest,
  ImportStartResponse,
  toImportOperationBody,
} from './imports.dto.js';
import { ImportErrors } from './imports.errors.js';
import { ImportsService } from './imports.service.js';

@ApiTags('Imports')
@Controller('api/public/v2/tables/:table_id/sheets')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post(':sheet_id/imports/request-logs')
  @ApiOperation({
    summary: 'Import request logs into a sheet, a row each. The rows appear all at once when the import has ended.',
  })
  @HttpCode(202)
  @Can('TABLE_EDIT')
  @RefuseInvalidWith400()
  @ApiAcceptedResponse({ type: ImportStartResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    FilterErrors.filter_invalid,
    ImportErrors.import_selection_missing,
    ImportErrors.import_sort_incomplete,
    ImportErrors.import_field_unknown,
    ImportErrors.import_running,
    ImportErrors.import_operation_id_taken,
  )
  async requestLogs(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: ImportRequestLogsRequest,
  ): Promise<ImportStartResponse> {
    const operation = await this.imports.startRequestLogs(caller, path, body);
    return {
      success: true,
      message: 'The import has been queued.',
      operation_id: operation.id,
      operation: toImportOperationBody(operation),
      status_url: `/api/public/v2/tables/${path.table_id}/sheets/operations/${encodeURIComponent(operation.id)}`,
    };
  }

  @Get('operations/:operation_id')
  @ApiOperation({ summary: 'Read how far an import is.' })
  @ApiOkResponse({ type: ImportOperationResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, ImportErrors.import_operation_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ImportOperationPath): Promise<ImportOperationResponse> {
    const operation = await this.imports.get(caller, path.table_id.toLowerCase(), path.operation_id);
    return { success: true, operation: toImportOperationBody(operation) };
  }
}
