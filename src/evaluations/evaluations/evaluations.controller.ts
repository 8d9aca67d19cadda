import { Body, Controller, Get, Header, HttpCode, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { CopyToTableRequest, CopyToTableResponse, toCopyResponse } from '../../datasets/index.js';
import { assertOwnWorkspace, FolderErrors } from '../../folders/index.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { JSON_TYPE, jsonWithList, jsonWithPieces, streamJson } from '../../platform/http/json-stream.js';
import { Deprecated } from '../../platform/http/deprecated.js';
import { briefNumberedPage } from '../../platform/http/numbered-page.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { TableErrors } from '../../tables/index.js';
import { EvaluationErrors } from '../shared/evaluations.errors.js';
import { toEvaluationBody } from '../reports/report-bodies.js';
import {
  EvaluationPath,
  EvaluationRowsQuery,
  EvaluationRowsResponse,
  EvaluationsResponse,
  ListEvaluationsQuery,
} from './evaluations.dto.js';
import { EvaluationsService } from './evaluations.service.js';
import { RunCopiesService } from './run-copies.service.js';

@ApiTags('Evaluations')
@Controller('api/public/v2/evaluations')
export class EvaluationsController {
  constructor(
    private readonly evaluations: EvaluationsService,
    private readonly copies: RunCopiesService,
  ) {}

  @Get()
  @Deprecated('/api/public/v2/tables')
  @ApiOperation({
    summary: 'List the evaluation pipelines of the workspace, newest first.',
    description:
      'Pages by number. All filters given must match. Archived pipelines are listed only with `status`, and runs only with `include_runs`.',
  })
  @ApiOkResponse({ type: EvaluationsResponse })
  @Throws(FolderErrors.workspace_id_invalid)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListEvaluationsQuery): Promise<EvaluationsResponse> {
    assertOwnWorkspace(caller, query.workspace_id);
    const { total, listed } = await this.evaluations.list(caller, query);
    return { ...envelope(query, total), evaluations: listed.map(toEvaluationBody) };
  }

  @Get(':evaluation_id/rows')
  @Deprecated('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows')
  @ApiOperation({
    summary: 'Read the rows of a run, or of the preview of a pipeline.',
    description:
      'Pages by number, in the order of the dataset. A pipeline has only the rows of its preview. 404 when there is no such pipeline or run in the workspace.',
  })
  @ApiOkResponse({ type: EvaluationRowsResponse })
  @Header('content-type', JSON_TYPE)
  @Throws(FolderErrors.workspace_id_invalid, EvaluationErrors.evaluation_not_found)
  async rows(
    @CurrentCaller() caller: Caller,
    @Param() path: EvaluationPath,
    @Query() query: EvaluationRowsQuery,
  ): Promise<string | StreamableFile> {
    assertOwnWorkspace(caller, query.workspace_id);
    const { page = 1, per_page: limit = 10 } = query;
    const found = await this.evaluations.readRows(caller, path.evaluation_id, { offset: (page - 1) * limit, limit });
    const answer = { ...envelope(query, found.total), columns: found.columns.map(({ title }) => title) };
    if (found.rows.texts) return [...jsonWithList(answer, 'rows', found.rows.texts)].join('');
    return streamJson(jsonWithPieces(answer, 'rows', found.rows.pieces));
  }

  @IdempotentPost(':evaluation_id/to-table')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Copy a completed run into a new sheet of a table, with the same columns, cells and score card.',
    description:
      'Moves an evaluation to tables: only the score is calculated again, and the run stays as it is. Returns 202; the rows appear when the copy is complete, and `status_url` shows its progress.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ type: CopyToTableResponse })
  @Throws(
    EvaluationErrors.report_not_completed,
    EvaluationErrors.evaluation_not_found,
    TableErrors.table_not_found,
    GridErrors.row_limit_exceeded,
    AccessErrors.permission_missing,
  )
  async toTable(
    @CurrentCaller() caller: Caller,
    @Param() path: EvaluationPath,
    @Body() { table_id: table, title }: CopyToTableRequest,
  ): Promise<CopyToTableResponse> {
    const target = { tableId: table ?? null, title: title ?? null };
    return toCopyResponse(await this.copies.toTable(caller, path.evaluation_id, target));
  }
}

function envelope({ page = 1, per_page: perPage = 10 }: { page?: number; per_page?: number }, total: number) {
  return { success: true as const, message: 'success', ...briefNumberedPage(page, perPage, total) };
}
