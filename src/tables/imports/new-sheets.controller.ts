import { Body, Controller, Param, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { TakesFile } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetResponse, TablePath, toSheetBody } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import { toImportOperationBody } from './imports.dto.js';
import { FILE_ERRORS, ImportErrors, LOG_ERRORS } from '../../imports/index.js';
import { CreateSheetFromSourceResponse, CreateSheetRequest } from './new-sheets.dto.js';
import { NewSheetsService } from './new-sheets.service.js';

@ApiTags('Sheets')
@Controller('api/public/v2/tables/:table_id/sheets')
export class NewSheetsController {
  constructor(private readonly newSheets: NewSheetsService) {}

  @IdempotentPost()
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Create a sheet: blank, from a file, or from request logs.',
    description:
      'Returns 201 with a blank sheet, or 202 when a `source` is given: its rows are imported afterwards, and the operation shows the progress. A sheet made from a file has its columns at once. When the import fails, the sheet stays without rows.',
  })
  @Can('TABLE_EDIT')
  @TakesFile()
  @ApiCreatedResponse({ type: SheetResponse, description: 'A blank sheet.' })
  @ApiAcceptedResponse({ type: CreateSheetFromSourceResponse, description: 'A sheet whose rows are being imported.' })
  @Throws(
    TableErrors.table_not_found,
    FilterErrors.filter_invalid,
    ImportErrors.import_operation_id_without_source,
    ImportErrors.import_operation_id_taken,
    ...FILE_ERRORS,
    ...LOG_ERRORS,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: TablePath,
    @Body() body: CreateSheetRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SheetResponse | CreateSheetFromSourceResponse> {
    const { source, operation_id: operationId, ...place } = body;
    const tableId = path.table_id.toLowerCase();
    if (!source) {
      if (operationId) throw ImportErrors.import_operation_id_without_source();
      return { success: true, sheet: toSheetBody(await this.newSheets.createBlank(caller, { tableId, ...place })) };
    }
    const created = await this.newSheets.createFrom(caller, { tableId, ...place }, { source, operationId });
    void reply.status(202);
    return {
      success: true,
      message: 'The sheet was created and its import has been queued.',
      operation_id: created.operation.id,
      operation: toImportOperationBody(created.operation),
      sheet: toSheetBody(created.sheet),
    };
  }
}
