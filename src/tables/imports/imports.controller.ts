import { Body, Controller, Delete, Get, HttpCode, Param, type StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller, HeldKeys } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { AnswersProgress, ProgressStreams } from '../../platform/http/progress-streams.js';
import { RefuseInvalidWith400, TakesFile } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  ImportFileRequest,
  ImportOperationPath,
  ImportOperationResponse,
  ImportRequestLogsRequest,
  ImportStartResponse,
  importUrl,
  toImportOperationBody,
} from './imports.dto.js';
import {
  FILE_ERRORS,
  ImportErrors,
  type ImportOperation,
  LOG_ERRORS,
  toRequestLogImport,
} from '../../imports/index.js';
import { ImportsService } from './imports.service.js';

@ApiTags('Imports')
@Controller('api/public/v2/tables/:table_id/sheets')
export class ImportsController {
  constructor(
    private readonly imports: ImportsService,
    private readonly streams: ProgressStreams,
    private readonly keys: HeldKeys,
  ) {}

  @IdempotentPost(':sheet_id/imports/file')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Import a CSV file into a sheet.',
    description:
      'Each record becomes a row, and each field goes into the text column with its title; missing columns are added at the end. A wrong encoding or wrong titles are answered with 400, while a record that does not fit makes the import fail later. In both cases the sheet stays as it was. 400 `import_running` while another import into the sheet has not ended.',
  })
  @HttpCode(202)
  @Can('TABLE_EDIT')
  @TakesFile()
  @RefuseInvalidWith400()
  @ApiAcceptedResponse({ type: ImportStartResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ...FILE_ERRORS,
    ImportErrors.import_column_computed,
    ImportErrors.import_running,
    ImportErrors.import_operation_id_taken,
  )
  async file(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: ImportFileRequest,
  ): Promise<ImportStartResponse> {
    const file = { name: body.file_name, content: body.file_content_base64, delimiter: body.delimiter };
    return toStartResponse(await this.imports.startFile(caller, path, { id: body.operation_id, file }));
  }

  @IdempotentPost(':sheet_id/imports/request-logs')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Import request logs into a sheet, one row each.',
    description:
      'Selects logs by `request_log_ids` or by `filter_group`; ids win when both are given. A column is added for every input variable, then `input`, `output` and the `include_fields`. When no log matches, the import fails and the sheet stays as it was. 400 `import_running` while another import into the sheet has not ended.',
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
    ...LOG_ERRORS,
    ImportErrors.import_running,
    ImportErrors.import_operation_id_taken,
  )
  async requestLogs(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: ImportRequestLogsRequest,
  ): Promise<ImportStartResponse> {
    if (!body.request_log_ids && !body.filter_group) throw ImportErrors.import_selection_missing();
    const wanted = { id: body.operation_id, request: toRequestLogImport(body) };
    return toStartResponse(await this.imports.startRequestLogs(caller, path, wanted));
  }

  @Get('operations/:operation_id')
  @ApiOperation({
    summary: 'Read the progress of an import.',
    description:
      'Returns the state and the progress of an import, running or ended. 404 when it goes into another table.',
  })
  @ApiOkResponse({ type: ImportOperationResponse })
  @Throws(TableErrors.table_not_found, ImportErrors.import_operation_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ImportOperationPath): Promise<ImportOperationResponse> {
    const operation = await this.imports.get(caller, path.table_id.toLowerCase(), path.operation_id);
    return { success: true, operation: toImportOperationBody(operation) };
  }

  @Delete('operations/:operation_id')
  @Can('TABLE_EDIT')
  @ApiOperation({
    summary: 'Cancel an import.',
    description:
      'The sheet stays as it was before the import. Returns the import, which becomes `failed` once everything it wrote is removed; poll it until then. An import that has ended stays as it is.',
  })
  @ApiOkResponse({ type: ImportOperationResponse })
  @Throws(TableErrors.table_not_found, ImportErrors.import_operation_not_found)
  async cancel(@CurrentCaller() caller: Caller, @Param() path: ImportOperationPath): Promise<ImportOperationResponse> {
    const operation = await this.imports.cancel(caller, path.table_id.toLowerCase(), path.operation_id);
    return { success: true, operation: toImportOperationBody(operation) };
  }

  @Get('operations/:operation_id/events')
  @ApiOperation({
    summary: 'Follow an import as server-sent events.',
    description:
      'Streams the same as the GET of the import, whenever it changes, until it has ended. The number of streams of one API key is limited; beyond it the answer is 429 `event_streams_exceeded`.',
  })
  @AnswersProgress()
  @Throws(TableErrors.table_not_found, ImportErrors.import_operation_not_found)
  events(@CurrentCaller() caller: Caller, @Param() path: ImportOperationPath): Promise<StreamableFile> {
    return this.streams.follow(this.keys.holder(caller), async () => {
      const operation = await this.imports.get(caller, path.table_id.toLowerCase(), path.operation_id);
      return { body: toImportOperationBody(operation), ended: ['completed', 'failed'].includes(operation.status) };
    });
  }
}

function toStartResponse(operation: ImportOperation): ImportStartResponse {
  return {
    success: true,
    message: 'The import has been queued.',
    operation_id: operation.id,
    operation: toImportOperationBody(operation),
    status_url: importUrl(operation),
  };
}
