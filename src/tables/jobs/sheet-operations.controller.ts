import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { ListSheetOperationsQuery, SheetOperationsResponse, toJobPage, toSheetOperation } from './sheet-jobs.dto.js';
import { jobKeyOf, jobOrder, SheetJobsService } from './sheet-jobs.service.js';

@ApiTags('Computation')
@Controller('api/public/v2/sheet-operations')
export class SheetOperationsController {
  constructor(private readonly jobs: SheetJobsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the operations in all sheets of the workspace, newest first.',
    description:
      'Running and ended operations are listed. Those of datasets, evaluations and workflows are not: their runs have their own lists.',
  })
  @ApiOkResponse({ type: SheetOperationsResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: ListSheetOperationsQuery,
  ): Promise<SheetOperationsResponse> {
    const page = toJobPage(query);
    const listed = toPage(await this.jobs.operations(caller, page), page, jobOrder('operations', page), jobKeyOf);
    return { ...listed, data: listed.data.map(toSheetOperation) };
  }
}
