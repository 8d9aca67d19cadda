import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { AccessErrors, type Caller, CurrentCaller } from '../access/index.js';
import { PlatformErrors } from '../platform/errors/platform.errors.js';
import { FilterErrors } from '../platform/filters/errors.js';
import { BINARY } from '../platform/http/binary.js';
import { IdempotentPost } from '../platform/http/idempotency/idempotent-post.js';
import { toCreatedPage } from '../platform/http/created-list.js';
import { Throws } from '../platform/http/throws.js';
import {
  CreateExportRequest,
  DeleteExportResponse,
  ExportPath,
  ExportOperationResponse,
  ExportsResponse,
  ListExportsQuery,
  toExportBody,
  toNewExport,
} from './exports.dto.js';
import { ExportErrors } from './exports.errors.js';
import { ExportsService } from './exports.service.js';
import { contentTypeOf, DOWNLOAD_TYPES, extensionOf } from './formats/export-format.js';

@ApiTags('Exports')
@Controller('api/public/v2/exports')
export class ExportsController {
  constructor(private readonly exports: ExportsService) {}

  @IdempotentPost()
  @HttpCode(202)
  @ApiOperation({
    summary: 'Export request logs, traces or spans that match a filter into a file.',
    description:
      'The file shows one moment: what is stored after the export has begun is not included. Request logs and traces are ordered newest first. Spans are grouped by trace, and traces and spans that began last come first. Read `status_url` until the export has ended, then fetch `download_url`.',
  })
  @ApiAcceptedResponse({ type: ExportOperationResponse })
  @Throws(FilterErrors.filter_invalid, ExportErrors.export_column_unknown, ExportErrors.export_too_many)
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateExportRequest): Promise<ExportOperationResponse> {
    return { success: true, export: toExportBody(await this.exports.create(caller, toNewExport(body))) };
  }

  @Get()
  @ApiOperation({
    summary: 'List the exports of the workspace, newest first.',
    description: 'Exports of all API keys of the workspace, including those that failed or expired.',
  })
  @ApiOkResponse({ type: ExportsResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { cursor, limit = 20, order = 'desc' }: ListExportsQuery,
  ): Promise<ExportsResponse> {
    const rows = await this.exports.list(caller, { cursor, limit, order });
    const page = toCreatedPage(rows, { cursor, limit, order });
    return { ...page, data: page.data.map(toExportBody) };
  }

  @Get(':export_id')
  @ApiOperation({
    summary: 'Read the progress of an export.',
    description: 'Repeat the request until `status` is `completed` or `failed`, then fetch `download_url`.',
  })
  @ApiOkResponse({ type: ExportOperationResponse })
  @Throws(ExportErrors.export_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: ExportPath): Promise<ExportOperationResponse> {
    return { success: true, export: toExportBody(await this.exports.get(caller, path.export_id.toLowerCase())) };
  }

  @Get(':export_id/download')
  @ApiOperation({
    summary: 'Download the file of a completed export.',
    description:
      'The file is sent as an attachment, with its SHA-256 as the ETag. 409 `export_not_ready`: the export has not completed. 410 `export_expired`: the file was removed, so create the export again.',
  })
  @ApiOkResponse({
    description: 'The file.',
    content: Object.fromEntries(DOWNLOAD_TYPES.map((type) => [type.split(';')[0]!, BINARY])),
  })
  @Throws(ExportErrors.export_not_found, ExportErrors.export_not_ready, ExportErrors.export_expired)
  async download(
    @CurrentCaller() caller: Caller,
    @Param() path: ExportPath,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const file = await this.exports.getFinished(caller, path.export_id.toLowerCase());
    const { format, request, source, createdAt } = file;
    void reply.header('etag', `"${file.sha256}"`);
    const name = `${source}-${createdAt.toISOString().slice(0, 10)}-${file.id.slice(0, 8)}`;
    return new StreamableFile(Readable.from(this.exports.read(file), { objectMode: false }), {
      type: contentTypeOf(format, request.compression),
      disposition: `attachment; filename="${name}.${extensionOf(format, request.compression)}"`,
      length: Number(file.bytes),
    });
  }

  @Delete(':export_id')
  @ApiOperation({
    summary: 'Cancel a running export, or delete a finished one with its file.',
    description: 'Exports of another API key need the permission ADMIN.',
  })
  @ApiOkResponse({ type: DeleteExportResponse })
  @Throws(ExportErrors.export_not_found, AccessErrors.permission_missing)
  async delete(@CurrentCaller() caller: Caller, @Param() path: ExportPath): Promise<DeleteExportResponse> {
    const { deleted, export: row } = await this.exports.remove(caller, path.export_id.toLowerCase());
    return { success: true, export: toExportBody(row), deleted };
  }
}
