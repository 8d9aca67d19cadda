import { Body, Controller, Delete, Get, HttpCode, Param, Patch } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  CalculationBody,
  ConfidenceInterval,
  CriterionDrift,
  CriterionSummary,
  DriftSummary,
  FlipRateBody,
  RowDrift,
  StaleStateBody,
  ThresholdsBody,
} from './calculations.dto.js';
import { MigrationsService } from './migrations.service.js';
import { toScorecardBody, toScorecardResponse } from './scorecard-response.js';
import {
  ConfigureScorecardRequest,
  ConfigureScorecardResponse,
  DeleteScorecardResponse,
  MigrateLegacyScoreRequest,
  MigrateLegacyScoreResponse,
  ScoreAdapterBody,
  ScorecardBody,
  ScorecardConfigBody,
  ScorecardProgress,
  ScorecardResponse,
  StepResultBody,
} from './scorecards.dto.js';
import { ScorecardErrors } from './scorecards.errors.js';
import { ScorecardsService } from './scorecards.service.js';

@ApiTags('Scorecards')
@ApiExtraModels(
  ScorecardBody,
  ScorecardConfigBody,
  ScorecardProgress,
  ScoreAdapterBody,
  CalculationBody,
  ConfidenceInterval,
  CriterionSummary,
  CriterionDrift,
  DriftSummary,
  FlipRateBody,
  RowDrift,
  StaleStateBody,
  StepResultBody,
  ThresholdsBody,
)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/scorecard')
export class ScorecardsController {
  constructor(
    private readonly scorecards: ScorecardsService,
    private readonly migrations: MigrationsService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Read the scorecard of a sheet with its newest results.',
    description:
      'Returns the configuration, the newest calculation, the newest completed one with its results, and the progress. For a sheet without a scorecard every field is null.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: ScorecardResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<ScorecardResponse> {
    return toScorecardResponse(await this.scorecards.get(caller, path));
  }

  @Patch()
  @ApiOperation({
    summary: 'Configure the scorecard of a sheet.',
    description:
      'Replaces the whole scorecard, or creates it, and calculates nothing; a calculation under way ends. Makes a version of the sheet. 400 when a step has an unknown type, or a config that does not fit it.',
  })
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: ConfigureScorecardResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_config_invalid,
    GridErrors.column_reference_unknown,
    GridErrors.column_reference_ambiguous,
    ScorecardErrors.primitive_type_unknown,
    ScorecardErrors.scorecard_invalid,
  )
  async configure(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: ConfigureScorecardRequest,
  ): Promise<ConfigureScorecardResponse> {
    const view = await this.scorecards.configure(caller, path, {
      name: body.name,
      aggregation: body.aggregation,
      evaluatedColumnIds: body.evaluated_column_ids ?? [],
      displayConfig: body.display_config ?? null,
      baselineConfig: body.baseline_config ?? null,
      steps: body.steps ?? [],
    });
    return { success: true, scorecard: toScorecardBody(view), version: view.sheet.version };
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete the scorecard of a sheet.',
    description:
      'Deletes the scorecard with its steps; a calculation under way ends. A configured score stays. Makes a version of the sheet. 404 `scorecard_not_found` when there is none.',
  })
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: DeleteScorecardResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, ScorecardErrors.scorecard_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<DeleteScorecardResponse> {
    await this.scorecards.delete(caller, path);
    return { success: true };
  }

  @IdempotentPost('migrate-legacy-score')
  @ApiOperation({
    summary: 'Convert the configured score of a sheet into steps of its scorecard.',
    description:
      'Each scored column becomes a step; columns that are steps already are left alone, and a scorecard is created when there is none. Columns that cannot be steps are listed in `skipped` with the reason. 400 `legacy_score_missing` when no score is configured.',
  })
  @HttpCode(200)
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: MigrateLegacyScoreResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    ScorecardErrors.legacy_score_missing,
    ScorecardErrors.scorecard_invalid,
  )
  async migrate(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: MigrateLegacyScoreRequest,
  ): Promise<MigrateLegacyScoreResponse> {
    const migrated = await this.migrations.migrate(caller, path, body.delete_legacy_score ?? false);
    return {
      success: true,
      scorecard: migrated.view && toScorecardBody(migrated.view),
      converted_count: migrated.converted,
      skipped: migrated.skipped,
      legacy_score_deleted: migrated.isDeleted,
      version: migrated.version,
    };
  }
}
