import { Body, Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { streamJson } from '../../platform/http/json-stream.js';
import { toPage } from '../../platform/http/list.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  CreateVersionRequest,
  CreateVersionResponse,
  ListVersionsQuery,
  SnapshotCell,
  toVersionBody,
  VersionPath,
  VersionResponse,
  VersionsResponse,
} from './versions.dto.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import { versionOrder, VersionsService } from './versions.service.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Versions')
@ApiExtraModels(SnapshotCell)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/versions')
export class VersionsController {
  constructor(private readonly versions: VersionsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the versions of a sheet.',
    description: `Every change of the content, the scoring or the position of a sheet makes a version. Each is listed with what happened and its score, and without the content. ${CURSOR_PAGES}`,
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: VersionsResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ListVersionsQuery,
  ): Promise<VersionsResponse> {
    const { cursor, limit = 20, order = 'desc' } = query;
    const { versions, scores } = await this.versions.list(caller, path, { cursor, limit, order });
    const page = toPage(versions, { limit, cursor }, versionOrder(path, order), (version) => [version.number]);
    const { data, pagination, count } = page;
    return {
      success: true,
      data: data.map((version) => toVersionBody(version, scores)),
      pagination,
      filters: {},
      count,
    };
  }

  @IdempotentPost()
  @Stores({ rows: 'some' })
  @ApiOperation({
    summary: 'Name the current state of a sheet, or restore a version.',
    description:
      'With a `name` alone the current state becomes a named version. With `source_version_id` the sheet gets the title, position, columns, rows, cells and scoring of that version, as a new version; operations under way are cancelled. 400 `version_restore_during_import` while an import runs.',
  })
  @RefuseInvalidWith400()
  @Can('TABLE_EDIT')
  @ApiCreatedResponse({ type: CreateVersionResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    VersionErrors.version_not_found,
    VersionErrors.version_name_missing,
    VersionErrors.version_is_current,
    VersionErrors.version_restore_during_import,
    GridErrors.cycle_detected,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() { name = null, source_version_id: sourceVersionId = null }: CreateVersionRequest,
  ): Promise<CreateVersionResponse> {
    const { version, scores } = await this.versions.create(caller, path, { name, sourceVersionId });
    return { success: true, version: toVersionBody(version, scores) };
  }

  @Get(':version_id')
  @ApiOperation({
    summary: 'Read a version with the whole content of the sheet.',
    description:
      'Returns columns, rows, cells and scoring as they were. The answer is streamed and may be large: read single rows with `GET …/rows?version=` instead. 404 when the version belongs to another sheet.',
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: VersionResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, VersionErrors.version_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: VersionPath): Promise<StreamableFile> {
    return streamJson(await this.versions.get(caller, path));
  }
}
