import { Controller, Get, Param, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, HeldKeys } from '../../access/index.js';
import { AnswersProgress, ProgressStreams } from '../../platform/http/progress-streams.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  OperationPath,
  OperationResponse,
  OperationsResponse,
  pendingCount,
  StatusCountsResponse,
  toOperationBody,
} from './operations.dto.js';
import type { StatusCounts } from '../../grid/computing/count-states.js';
import { OperationsService } from './operations.service.js';

@ApiTags('Computation')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id')
export class OperationsController {
  constructor(
    private readonly operations: OperationsService,
    private readonly streams: ProgressStreams,
    private readonly keys: HeldKeys,
  ) {}

  @Get('operations')
  @ApiOperation({
    summary: 'Count the cells of a sheet by state, and list its active operations.',
    description:
      'Returns how many computed cells are in each state, and the operations that have not ended. Text cells and the cells of a scorecard do not count.',
  })
  @ApiOkResponse({ type: OperationsResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async list(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<OperationsResponse> {
    const { sheet, counts, active } = await this.operations.overview(caller, path);
    return {
      success: true,
      sheet_id: sheet.id,
      version: sheet.version,
      total_cells: totalOf(counts),
      status_counts: counts,
      pending_count: pendingCount(counts),
      active_operations: active.map((operation) => toOperationBody(path, operation)),
    };
  }

  @Get('operations/:operation_id')
  @ApiOperation({
    summary: 'Read the progress of an operation.',
    description:
      'Returns the counts, the cost so far and the state of one operation, running or ended. An operation is `completed` also when some of its cells have failed. 404 when it does not belong to this sheet.',
  })
  @ApiOkResponse({ type: OperationResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, TableErrors.operation_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: OperationPath): Promise<OperationResponse> {
    return { success: true, operation: toOperationBody(path, await this.operations.get(caller, path)) };
  }

  @Get('operations/:operation_id/events')
  @ApiOperation({
    summary: 'Follow an operation as server-sent events.',
    description:
      'Streams the same as the GET of the operation, whenever it changes, until it has ended. The number of streams of one API key is limited; beyond it the answer is 429 `event_streams_exceeded`.',
  })
  @AnswersProgress()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, TableErrors.operation_not_found)
  events(@CurrentCaller() caller: Caller, @Param() path: OperationPath): Promise<StreamableFile> {
    return this.streams.follow(this.keys.holder(caller), async () => {
      const operation = await this.operations.get(caller, path);
      return { body: toOperationBody(path, operation), ended: operation.execution.finishedAt !== null };
    });
  }

  @Get('status-counts')
  @ApiOperation({
    summary: 'Count the cells of a sheet by state.',
    description:
      'Returns how many computed cells are in each state, without the operations. The sheet is done when `COMPLETED` and `FAILED` add up to `total_cells`.',
  })
  @ApiOkResponse({ type: StatusCountsResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async counts(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<StatusCountsResponse> {
    const counts = await this.operations.count(caller, path);
    return { success: true, total_cells: totalOf(counts), status_counts: counts };
  }
}

function totalOf(counts: StatusCounts): number {
  return Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);
}
