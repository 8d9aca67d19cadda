import { Body, Controller, Get, HttpCode, Param, Patch } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { CalculationsService } from '../scorecards/calculations.service.js';
import { ScorecardErrors } from '../scorecards/scorecards.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import { toScoreResponse } from './score-response.js';
import {
  CalculateScorecardScoreResponse,
  CalculateScoreResponse,
  ConfigureScoreRequest,
  ConfigureScoreResponse,
  ScoreConfigurationBody,
  ScoreResponse,
} from './scores.dto.js';
import { ScoreErrors } from '../../scoring/index.js';
import { ScoresService } from './scores.service.js';

@ApiTags('Scores')
@ApiExtraModels(ScoreConfigurationBody, CalculateScoreResponse, CalculateScorecardScoreResponse)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/score')
export class ScoresController {
  constructor(
    private readonly scores: ScoresService,
    private readonly scorecards: CalculationsService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Read the score of a sheet.',
    description:
      'A configured score is the stored result of the newest calculation. Without a configuration the answer is the result of the scorecard, or else calculated at once: from the output columns that hold verdicts or, without any, from the last computed column whose cells are all booleans or all numbers.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: ScoreResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<ScoreResponse> {
    return toScoreResponse(await this.scores.get(caller, path));
  }

  @Patch()
  @ApiOperation({
    summary: 'Configure the score of a sheet.',
    description:
      'Replaces the whole configuration and calculates nothing. Give the columns, by `column_ids` or `column_names`, or `code`; everything else has a default. Makes a version of the sheet. 400 when the settings are incomplete or contradict each other, 404 when a column does not exist.',
  })
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: ConfigureScoreResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_not_found,
    GridErrors.column_reference_ambiguous,
    ScoreErrors.score_type_missing,
    ScoreErrors.score_config_missing,
    ScoreErrors.score_code_missing,
    ScoreErrors.score_values_ambiguous,
  )
  async configure(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: ConfigureScoreRequest,
  ): Promise<ConfigureScoreResponse> {
    const { configuration, version } = await this.scores.configure(caller, path, body);
    return {
      success: true,
      message: 'The score was configured. POST to the same address to calculate it.',
      score_configuration_id: configuration.id,
      status: null,
      requires_recalculation: true,
      version,
    };
  }

  @IdempotentPost()
  @ApiOperation({
    summary: 'Calculate the score of a sheet.',
    description:
      'Returns 202 at once; the result replaces the last one when it is ready. A sheet without a configured score is scored by its scorecard. 400 `score_not_configured` when it has neither.',
  })
  @HttpCode(202)
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiAcceptedResponse({
    schema: {
      oneOf: [CalculateScoreResponse, CalculateScorecardScoreResponse].map((answer) => ({
        $ref: getSchemaPath(answer),
      })),
    },
  })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScoreErrors.score_not_configured,
    ScoreErrors.score_columns_deleted,
    ScorecardErrors.scorecard_without_steps,
  )
  async calculate(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
  ): Promise<CalculateScoreResponse | CalculateScorecardScoreResponse> {
    const started = await this.scores.calculate(caller, path);
    if (started) return { success: true, score_configuration_id: started.configurationId, status: 'queued' };
    const everything = { rows: null, stepIds: null, asksAgain: true };
    const { calculationId, version } = await this.scorecards.start(caller, path, everything);
    return { success: true, score_source: 'scorecard', calculation_id: calculationId, status: 'queued', version };
  }
}
