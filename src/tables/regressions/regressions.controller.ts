import { Body, Controller, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { toPage } from '../../platform/http/list.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { PROMPT_VERSION_MISSING } from '../../prompts/index.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import { ScorecardErrors } from '../scorecards/scorecards.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  ListRegressionsQuery,
  RegressionPath,
  RegressionResponse,
  RegressionsResponse,
  RegressionStepBody,
  StartRegressionRequest,
  toGiven,
  toRegressionBody,
  toRegressionResponse,
} from './regressions.dto.js';
import { RegressionErrors } from './regressions.errors.js';
import { regressionOrder, RegressionsService } from './regressions.service.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Scores')
@ApiExtraModels(RegressionStepBody)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/regressions')
export class RegressionsController {
  constructor(private readonly regressions: RegressionsService) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Search for the first version at which the score fell.',
    description:
      'Starts a bisection between a good and a later bad version and returns 202; GET shows the progress. Cells that are not up to date in a version are computed in a copy that is deleted afterwards; results of equal inputs are reused. With `max_cost` it stops before it would cost more. A sheet has one search at a time: 400 `regression_running`.',
  })
  @HttpCode(202)
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiAcceptedResponse({ type: RegressionResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    VersionErrors.version_not_found,
    ...PROMPT_VERSION_MISSING,
    GridErrors.column_not_found,
    ScorecardErrors.scorecard_not_configured,
    ScorecardErrors.scorecard_without_steps,
    RegressionErrors.regression_versions_reversed,
    RegressionErrors.regression_without_score,
    RegressionErrors.regression_score_custom,
    RegressionErrors.regression_version_unscored,
    RegressionErrors.regression_prompt_unused,
    RegressionErrors.regression_running,
  )
  async start(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: StartRegressionRequest,
  ): Promise<RegressionResponse> {
    return toRegressionResponse(await this.regressions.start(caller, path, toGiven(body)));
  }

  @Get()
  @ApiOperation({
    summary: 'List the regression searches of a sheet, newest first.',
    description: `Lists the searches for the fall of a score, running and ended, with everything they have found. ${CURSOR_PAGES}`,
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: RegressionsResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() { cursor, limit = 20, order = 'desc' }: ListRegressionsQuery,
  ): Promise<RegressionsResponse> {
    const views = await this.regressions.list(caller, path, { cursor, limit, order });
    const { data, ...page } = toPage(views, { limit, cursor }, regressionOrder(path, order), ({ regression }) => [
      regression.createdAt.toISOString(),
      regression.id,
    ]);
    return { ...page, data: data.map(toRegressionBody) };
  }

  @Get(':regression_id')
  @ApiOperation({
    summary: 'Read a regression search.',
    description:
      'Returns the state of the search, its cost so far and, at the end, the first version at which the score fell. 404 when the search does not belong to this sheet.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: RegressionResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, RegressionErrors.regression_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: RegressionPath): Promise<RegressionResponse> {
    return toRegressionResponse(await this.regressions.get(caller, path, path.regression_id));
  }

  @IdempotentPost(':regression_id/cancel')
  @ApiOperation({
    summary: 'Cancel a regression search.',
    description:
      'Ends the computations of the search; its results so far stay. A search that has ended stays as it is.',
  })
  @HttpCode(200)
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: RegressionResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, RegressionErrors.regression_not_found)
  async cancel(@CurrentCaller() caller: Caller, @Param() path: RegressionPath): Promise<RegressionResponse> {
    return toRegressionResponse(await this.regressions.cancel(caller, path, path.regression_id));
  }
}
