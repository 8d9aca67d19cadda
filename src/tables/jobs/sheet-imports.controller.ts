import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { ListSheetImportsQuery, SheetImportsResponse, toJobPage, toSheetImport } from './sheet-jobs.dto.js';
import { jobKeyOf, jobOrder, SheetJobsService } from './sheet-jobs.service.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Imports')
@Controller('api/public/v2/sheet-imports')
export class SheetImportsController {
  constructor(private readonly jobs: SheetJobsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the imports into all sheets of the workspace, newest first.',
    description: `Lists imports of files, of request logs and copies of datasets, running and ended, with the sheet that each goes into. Sheets that were deleted are left out. ${CURSOR_PAGES}`,
  })
  @ApiOkResponse({ type: SheetImportsResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListSheetImportsQuery): Promise<SheetImportsResponse> {
    const page = toJobPage(query);
    const listed = toPage(await this.jobs.imports(caller, page), page, jobOrder('imports', page), jobKeyOf);
    return { ...listed, data: listed.data.map(toSheetImport) };
  }
}
