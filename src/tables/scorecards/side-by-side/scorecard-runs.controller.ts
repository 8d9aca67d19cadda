import { Controller, Get, Query } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../../access/index.js';
import { PlatformErrors } from '../../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../../platform/http/ends-with-client.js';
import { toPage } from '../../../platform/http/list.js';
import { Throws } from '../../../platform/http/throws.js';
import { ScorecardErrors } from '../scorecards.errors.js';
import { toVerdicts } from '../verdict-names.js';
import { CalculationListResponse, ListCalculationsQuery, toListedCalculation } from './calculation-list.dto.js';
import { calculationOrder, CalculationListService } from './calculation-list.service.js';
import { toSideBySide } from './side-by-side-response.js';
import { SideBySideRowBody, SideBySideQuery, SideBySideResponse } from './side-by-side.dto.js';
import { SideBySideService } from './side-by-side.service.js';

const DEFAULT_LIMIT = 20;

@ApiTags('Scorecards')
@ApiExtraModels(SideBySideRowBody)
@Controller('api/public/v2/scorecard-calculations')
export class ScorecardRunsController {
  constructor(
    private readonly calculations: CalculationListService,
    private readonly lines: SideBySideService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the calculations of scorecards in the workspace, newest first.',
    description:
      'Lists calculations of all sheets of tables, or of one table or sheet, with their scores. Of each scorecard the 20 newest completed ones and the 20 newest others are kept.',
  })
  @ApiOkResponse({ type: CalculationListResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { cursor, limit = DEFAULT_LIMIT, order = 'desc', ...filters }: ListCalculationsQuery,
  ): Promise<CalculationListResponse> {
    const wanted = {
      sheetId: filters.sheet_id ?? null,
      tableId: filters.table_id ?? null,
      isCompleted: filters.completed ?? false,
    };
    const found = await this.calculations.list(caller, wanted, { cursor, limit, order });
    const page = toPage(found, { limit, cursor }, calculationOrder(order, wanted), ({ createdAt, id }) => [
      createdAt.toISOString(),
      id,
    ]);
    return { ...page, data: page.data.map(toListedCalculation) };
  }

  @EndsWithClient()
  @Get('rows')
  @ApiOperation({
    summary: 'Read the rows of one to six calculations side by side.',
    description:
      'Returns the rows of the first calculation, each beside the same row of the others: cells as they were when they were scored, verdicts with reasons, cost and latency. Rows of one sheet are the same when their indexes are; rows of two sheets when all their inputs are, or the columns in `match_by`, as in the comparison of two calculations. Whether a difference is more than chance is answered by that comparison.',
  })
  @ApiOkResponse({ type: SideBySideResponse })
  @Throws(
    ScorecardErrors.calculation_not_found,
    ScorecardErrors.calculation_not_completed,
    ScorecardErrors.calculations_not_comparable,
    ScorecardErrors.scorecard_invalid,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async rows(@CurrentCaller() caller: Caller, @Query() query: SideBySideQuery): Promise<SideBySideResponse> {
    const asked = {
      ids: [...new Set(query.calculation_ids.map((id) => id.toLowerCase()))],
      matchBy: query.match_by ?? null,
      verdicts: toVerdicts(query.verdict),
      minScore: query.min_score ?? null,
      maxScore: query.max_score ?? null,
      change: query.change ?? null,
      after: query.cursor ?? null,
      limit: query.limit ?? DEFAULT_LIMIT,
    };
    return toSideBySide(await this.lines.read(caller, asked));
  }
}
