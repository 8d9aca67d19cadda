import { Body, Controller, HttpCode, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiCreatedResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccessErrors, type Caller, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { Deprecated } from '../../platform/http/deprecated.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { TakesFile } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { ImportErrors, REFUSED_FILES } from '../../imports/index.js';
import { DatasetErrors } from '../shared/datasets.errors.js';
import {
  AddRequestLogRequest,
  CreateDraftRequest,
  DatasetGroupRequest,
  DraftResponse,
  FromFileRequest,
  FromFileResponse,
  FromFilterParamsRequest,
  FromFilterParamsResponse,
} from './dataset-versions.dto.js';
import { DraftsService } from './drafts.service.js';
import { toLogsForDataset } from './filter-params.js';
import { VersionImportsService } from './version-imports.service.js';

@ApiTags('Datasets')
@Controller('api/public/v2/dataset-versions')
export class DatasetVersionsController {
  constructor(
    private readonly drafts: DraftsService,
    private readonly imports: VersionImportsService,
  ) {}

  @IdempotentPost('from-file')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Create a version from a CSV or JSON file.',
    description:
      'The version is listed when its rows are stored. Webhooks then get `dataset_version_created_by_file`, or `…_failed` when the file has an error. A draft is not changed.',
  })
  @Deprecated('/api/public/v2/tables/{table_id}/sheets')
  @TakesFile({ largeFileIs400: true })
  @ApiCreatedResponse({ type: FromFileResponse })
  @Throws(
    DatasetErrors.dataset_group_not_found,
    AccessErrors.permission_missing,
    PlatformErrors.body_of_file_too_large,
    ...REFUSED_FILES,
  )
  async fromFile(@CurrentCaller() caller: Caller, @Body() body: FromFileRequest): Promise<FromFileResponse> {
    const file = { name: body.file_name, content: body.file_content_base64 };
    const { id } = await this.imports.fromFile(caller, body.dataset_group_id, file);
    return { success: true, message: 'Dataset version creation job queued', dataset_id: id };
  }

  @IdempotentPost('from-filter-params')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Create a version with a row per request log.',
    description:
      'The draft of the group becomes the version, if there is one. A search without matches makes an empty version. Webhooks get `dataset_version_created_from_filter_params` when the rows are stored.',
  })
  @Deprecated('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/request-logs')
  @ApiCreatedResponse({ type: FromFilterParamsResponse })
  @Throws(
    DatasetErrors.dataset_group_not_found,
    AccessErrors.permission_missing,
    FilterErrors.filter_invalid,
    ImportErrors.import_name_no_title,
    ImportErrors.import_columns_exceeded,
  )
  async fromFilterParams(
    @CurrentCaller() caller: Caller,
    @Body() body: FromFilterParamsRequest,
  ): Promise<FromFilterParamsResponse> {
    if (!body.request_log_ids && !body.filter_group) throw NOTHING_SELECTED();
    const { dataset_group_id: groupId, ...wishes } = body;
    const { id } = await this.imports.fromLogs(caller, groupId, toLogsForDataset(wishes));
    return {
      success: true,
      message: 'Dataset version creation queued',
      dataset_id: id,
      dataset_group_id: groupId,
      version_number: -1,
    };
  }

  @IdempotentPost('create-draft')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Create a draft of a dataset.',
    description:
      'Without `source_dataset_id` the draft is empty (201). With it, rows of that version are copied in the background (202). A dataset has one draft at a time: a second one is a 409 `dataset_draft_exists`.',
  })
  @Deprecated('/api/public/v2/tables/{table_id}/sheets')
  @ApiCreatedResponse({ type: DraftResponse, description: 'An empty draft.' })
  @ApiAcceptedResponse({ type: DraftResponse, description: 'Rows are being copied into the draft.' })
  @Throws(
    DatasetErrors.dataset_group_not_found,
    AccessErrors.permission_missing,
    DatasetErrors.dataset_source_not_found,
    DatasetErrors.dataset_draft_exists,
  )
  async createDraft(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateDraftRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DraftResponse> {
    const sourceId = body.source_dataset_id ?? null;
    const { draft, isCopying } = await this.drafts.create(caller, body.dataset_group_id, sourceId);
    void reply.status(isCopying ? 202 : 201);
    const message = isCopying
      ? 'Draft created; rows are being copied from the source dataset'
      : 'Draft dataset version created';
    return { success: true, message, draft_dataset_id: draft.id };
  }

  @IdempotentPost('add-request-log')
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Add a request log to the draft, as a row.',
    description: 'New columns are added to the draft and are blank in earlier rows.',
  })
  @Deprecated('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/imports/request-logs')
  @ApiCreatedResponse({ type: DraftResponse })
  @Throws(
    DatasetErrors.dataset_group_not_found,
    AccessErrors.permission_missing,
    DatasetErrors.dataset_draft_not_found,
    DatasetErrors.dataset_log_not_found,
    GridErrors.row_limit_exceeded,
    ImportErrors.import_columns_exceeded,
  )
  async addRequestLog(@CurrentCaller() caller: Caller, @Body() body: AddRequestLogRequest): Promise<DraftResponse> {
    const { id } = await this.drafts.addRequestLog(caller, body.dataset_group_id, body.request_log_id);
    return { success: true, message: 'Request log added to draft dataset', draft_dataset_id: id };
  }

  @IdempotentPost('save-draft')
  @ApiOperation({
    summary: 'Save the draft as an immutable version.',
    description: 'While rows are still being copied into the draft, it becomes a version when the copy has ended.',
  })
  @HttpCode(202)
  @Deprecated('/api/public/v2/tables/{table_id}/sheets/{sheet_id}/versions')
  @ApiAcceptedResponse({ type: DraftResponse })
  @Throws(DatasetErrors.dataset_group_not_found, AccessErrors.permission_missing, DatasetErrors.dataset_draft_not_found)
  async saveDraft(@CurrentCaller() caller: Caller, @Body() body: DatasetGroupRequest): Promise<DraftResponse> {
    const { id } = await this.drafts.save(caller, body.dataset_group_id);
    return { success: true, message: 'Dataset save job queued', draft_dataset_id: id };
  }
}

const NOTHING_SELECTED = () =>
  new ValidationProblem([
    { loc: ['body', 'filter_group'], msg: 'Give request_log_ids or filter_group', type: 'missing' },
  ]);
