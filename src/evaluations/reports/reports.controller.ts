import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { DatasetErrors } from '../../datasets/index.js';
import { ExternalIdErrors } from '../../external-ids/index.js';
import { assertOwnWorkspace, FolderErrors } from '../../folders/index.js';
import { Deprecated } from '../../platform/http/deprecated.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { RunsService } from '../runs/runs.service.js';
import { ScoreCardsService } from '../scores/score-cards.service.js';
import { toColumnBody, toReportDetailBody, toReportDetailResponse } from './report-bodies.js';
import {
  CreateReportRequest,
  CreateReportResponse,
  RenameReportRequest,
  ReportDetailResponse,
  ReportMessageResponse,
  ReportNamePath,
  ReportPath,
  ReportResponse,
  ReportScoreResponse,
  RunReportRequest,
  RunReportResponse,
  ScoreQuery,
  UpdateScoreCardRequest,
} from './reports.dto.js';
import { ReportsService } from './reports.service.js';

/** Errors of routes that add or change columns. */
export const COLUMN_ERRORS = [
  EvaluationErrors.report_column_type_unknown,
  EvaluationErrors.report_column_config_invalid,
  EvaluationErrors.report_column_name_taken,
  EvaluationErrors.report_column_source_unknown,
  EvaluationErrors.report_column_source_right,
  GridErrors.column_config_invalid,
  EvaluationErrors.dataset_column_fixed,
];

@ApiTags('Evaluations')
@Deprecated('/api/public/v2/tables')
@Controller('reports')
export class ReportsController {
  constructor(
    private readonly reports: ReportsService,
    private readonly runs: RunsService,
    private readonly scoreCards: ScoreCardsService,
  ) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Create an evaluation pipeline.',
    description:
      'The pipeline reads a published version of a dataset, whose columns come first. Its first rows are computed as a preview; a run computes all. Nothing is created when one of the columns is refused.',
  })
  @ApiCreatedResponse({ type: CreateReportResponse })
  @Throws(
    EvaluationErrors.dataset_without_versions,
    EvaluationErrors.dataset_version_draft,
    ...COLUMN_ERRORS,
    AccessErrors.permission_missing,
    DatasetErrors.dataset_group_not_found,
    EvaluationErrors.dataset_version_not_found,
    FolderErrors.folder_not_found,
    ExternalIdErrors.external_id_in_use,
  )
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateReportRequest): Promise<CreateReportResponse> {
    const { report, columns, externalIds } = await this.reports.create(caller, body);
    return {
      success: true,
      report_id: report.id,
      ...(body.columns && { report_columns: columns.map((column) => toColumnBody(report, column)) }),
      external_ids: externalIds,
    };
  }

  @Get(':report_id')
  @ApiOperation({
    summary: 'Read a pipeline or a run.',
    description:
      'Returns its columns, state and score. A run is `COMPLETED` when every cell is final and its score is known; a pipeline shows the state of its preview. 404 when there is no such pipeline or run in the workspace.',
  })
  @ApiOkResponse({ type: ReportDetailResponse })
  @Throws(EvaluationErrors.evaluation_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ReportPath): Promise<ReportDetailResponse> {
    return toReportDetailResponse(await this.reports.get(caller, path.report_id));
  }

  @Delete('name/:report_name')
  @ApiOperation({
    summary: 'Archive all pipelines and runs with exactly this name.',
    description:
      'They are no longer found, and nothing is computed in them. The runs of an archived pipeline stay, unless they have the name as well. 404 when none has the name.',
  })
  @ApiOkResponse({ type: ReportMessageResponse })
  @Throws(AccessErrors.permission_missing, EvaluationErrors.evaluation_name_not_found)
  async deleteByName(@CurrentCaller() caller: Caller, @Param() path: ReportNamePath): Promise<ReportMessageResponse> {
    const count = await this.reports.deleteByName(caller, path.report_name);
    return { success: true, message: count === 1 ? 'Report archived successfully' : `${count} reports archived` };
  }

  @Delete(':report_id')
  @ApiOperation({
    summary: 'Archive a pipeline or a run.',
    description:
      'It is no longer found, and nothing is computed in it. The runs of an archived pipeline stay. 404 when there is no such pipeline or run in the workspace.',
  })
  @ApiOkResponse({ type: ReportMessageResponse })
  @Throws(AccessErrors.permission_missing, EvaluationErrors.evaluation_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: ReportPath): Promise<ReportMessageResponse> {
    await this.reports.delete(caller, path.report_id);
    return { success: true, message: 'Report archived successfully' };
  }

  @Patch(':report_id/rename')
  @ApiOperation({
    summary: 'Change the name or the tags of a pipeline or a run.',
    description:
      'Changes what is given and answers the report. 400 `report_rename_empty` when neither a name nor tags are given.',
  })
  @ApiOkResponse({ type: ReportResponse })
  @Throws(EvaluationErrors.report_rename_empty, AccessErrors.permission_missing, EvaluationErrors.evaluation_not_found)
  async rename(
    @CurrentCaller() caller: Caller,
    @Param() path: ReportPath,
    @Body() body: RenameReportRequest,
  ): Promise<ReportResponse> {
    return { success: true, report: toReportDetailBody(await this.reports.rename(caller, path.report_id, body)) };
  }

  @IdempotentPost(':report_id/run')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Run a pipeline over all rows of a version of a dataset.',
    description:
      'The run has the present columns of the pipeline and is computed in the background: `GET /reports/{report_id}` shows its progress, and the event `report_finished` is sent when it is completed.',
  })
  @ApiCreatedResponse({ type: RunReportResponse })
  @Throws(
    DatasetErrors.dataset_is_draft,
    ...COLUMN_ERRORS,
    GridErrors.row_limit_exceeded,
    DatasetErrors.dataset_refresh_empty,
    EvaluationErrors.report_not_runnable,
    DatasetErrors.dataset_not_refreshable,
    AccessErrors.permission_missing,
    EvaluationErrors.evaluation_not_found,
    DatasetErrors.dataset_not_found,
  )
  async run(
    @CurrentCaller() caller: Caller,
    @Param() path: ReportPath,
    @Body() body: RunReportRequest,
  ): Promise<RunReportResponse> {
    const { name, dataset_id: datasetId, refresh_dataset: refresh, reuse } = body;
    const wish = { name, datasetId, refresh, reusesResults: reuse ?? false };
    const run = await this.runs.start(caller, path.report_id, wish);
    return { success: true, report_id: run.id };
  }

  @Get(':report_id/score')
  @ApiOperation({
    summary: 'Read the score of a run.',
    description:
      'Returns the score as it was calculated at the end of the run. Before that, `overall_score` is null. 400 `report_score_of_blueprint` for a pipeline: ask for the score of one of its runs.',
  })
  @ApiOkResponse({ type: ReportScoreResponse })
  @Throws(
    EvaluationErrors.report_score_of_blueprint,
    EvaluationErrors.report_workspace_forbidden,
    EvaluationErrors.evaluation_not_found,
  )
  async score(
    @CurrentCaller() caller: Caller,
    @Param() path: ReportPath,
    @Query() { workspace_id: workspaceId }: ScoreQuery,
  ): Promise<ReportScoreResponse> {
    assertOwnWorkspace(caller, workspaceId, EvaluationErrors.report_workspace_forbidden);
    return { success: true, message: 'success', score: await this.scoreCards.score(caller, path.report_id) };
  }

  @Patch(':report_id/score-card')
  @ApiOperation({
    summary: 'Configure the score of a pipeline or a run.',
    description:
      'A completed run is scored again before the answer. The configuration of a pipeline applies to runs that are started later. 400 `report_score_column_unknown` when a column does not exist.',
  })
  @ApiOkResponse({ type: ReportResponse })
  @Throws(
    EvaluationErrors.report_score_column_unknown,
    AccessErrors.permission_missing,
    EvaluationErrors.evaluation_not_found,
  )
  async configureScore(
    @CurrentCaller() caller: Caller,
    @Param() path: ReportPath,
    @Body() body: UpdateScoreCardRequest,
  ): Promise<ReportResponse> {
    const { column_names: columnNames, code, code_language: language } = body;
    const card = { columnNames, code: code ? { code, code_language: language ?? 'PYTHON' } : null };
    return {
      success: true,
      report: toReportDetailBody(await this.scoreCards.configure(caller, path.report_id, card)),
    };
  }
}
