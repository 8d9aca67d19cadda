import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import { SheetSummaryQuery, SheetSummaryResponse, toSummaryResponse } from './summaries.dto.js';
import { SummariesService } from './summaries.service.js';

@ApiTags('Sheets')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/summary')
export class SummariesController {
  constructor(private readonly summaries: SummariesService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'Read statistics of every column of a sheet.',
    description:
      'Returns counts of empty, failed and stale cells, the pass rate of booleans, and statistics of numbers and texts. 503 `reading_timeout` when a large sheet takes too long.',
  })
  @ApiOkResponse({ type: SheetSummaryResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async get(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() { include_system_columns: withSystem = false }: SheetSummaryQuery,
  ): Promise<SheetSummaryResponse> {
    return toSummaryResponse(await this.summaries.read(caller, path, { withSystem }));
  }
}
