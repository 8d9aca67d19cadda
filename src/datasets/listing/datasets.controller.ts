import { Body, Controller, Get, Header, HttpCode, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { assertOwnWorkspace, FolderErrors } from '../../folders/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { Deprecated } from '../../platform/http/deprecated.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { JSON_TYPE, jsonWithList, jsonWithPieces, streamJson } from '../../platform/http/json-stream.js';
import { briefNumberedPage } from '../../platform/http/numbered-page.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { TableErrors } from '../../tables/index.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import {
  CopyToTableRequest,
  CopyToTableResponse,
  DatasetCellBody,
  DatasetPath,
  DatasetRowsResponse,
  DatasetsResponse,
  ListDatasetRowsQuery,
  ListDatasetsQuery,
  toCopyResponse,
  toDatasetBody,
} from './datasets.dto.js';
import { DatasetCopiesService } from './dataset-copies.service.js';
import { DatasetsService } from './datasets.service.js';

@ApiTags('Datasets')
@ApiExtraModels(DatasetCellBody)
@Controller('api/public/v2/datasets')
export class DatasetsController {
  constructor(
    private readonly datasets: DatasetsService,
    private readonly copies: DatasetCopiesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the versions of datasets, including drafts.',
    description:
      'A version has to match all filters. Filters by prompt look at the request logs that the rows came from.',
  })
  @Deprecated('/api/public/v2/tables')
  @ApiOkResponse({ type: DatasetsResponse })
  @Throws(FolderErrors.workspace_id_invalid)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListDatasetsQuery): Promise<DatasetsResponse> {
    assertOwnWorkspace(caller, query.workspace_id);
    const { page = 1, per_page: perPage = 10 } = query;
    const { total, list } = await this.datasets.list(caller, query);
    return {
      success: true,
      message: 'success',
      datasets: list.map(toDatasetBody),
      ...briefNumberedPage(page, perPage, total),
    };
  }

  @Get(':dataset_id/rows')
  @ApiOperation({
    summary: 'Read the rows of a version, in the order in which they were added.',
    description:
      'In the order they were added, as texts. 404 `dataset_not_found`: the version does not exist in this workspace.',
  })
  @Deprecated('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/rows')
  @ApiOkResponse({ type: DatasetRowsResponse })
  @Header('content-type', JSON_TYPE)
  @Throws(
    FolderErrors.workspace_id_invalid,
    DatasetErrors.dataset_not_found,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async rows(
    @CurrentCaller() caller: Caller,
    @Param() path: DatasetPath,
    @Query() query: ListDatasetRowsQuery,
  ): Promise<string | StreamableFile> {
    assertOwnWorkspace(caller, query.workspace_id);
    const { page = 1, per_page: perPage = 10, q } = query;
    const asked = { offset: (page - 1) * perPage, limit: perPage, q };
    const { columns, total, rows } = await this.datasets.readRows(caller, path.dataset_id, asked);
    const answer: Omit<DatasetRowsResponse, 'rows'> = {
      success: true,
      message: 'success',
      columns: columns.map(({ title }) => title),
      ...briefNumberedPage(page, perPage, total),
    };
    if (rows.texts) return [...jsonWithList(answer, 'rows', rows.texts)].join('');
    return streamJson(jsonWithPieces(answer, 'rows', rows.pieces));
  }

  @IdempotentPost(':dataset_id/to-table')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Copy a version of a dataset into a new sheet.',
    description:
      'The rows appear when the copy is complete; the version stays as it is. This is the way from datasets to tables.',
  })
  @HttpCode(202)
  @ApiAcceptedResponse({ type: CopyToTableResponse })
  @Throws(
    DatasetErrors.dataset_not_found,
    DatasetErrors.dataset_is_draft,
    TableErrors.table_not_found,
    GridErrors.row_limit_exceeded,
    AccessErrors.permission_missing,
  )
  async toTable(
    @CurrentCaller() caller: Caller,
    @Param() path: DatasetPath,
    @Body() body: CopyToTableRequest,
  ): Promise<CopyToTableResponse> {
    const wishes = { tableId: body.table_id ?? null, title: body.title ?? null };
    return toCopyResponse(await this.copies.toTable(caller, path.dataset_id, wishes));
  }
}
