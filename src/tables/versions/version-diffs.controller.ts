import { Controller, Get, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { toPage } from '../../platform/http/list.js';
import { RefuseInvalidWith400 } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { TableErrors } from '../shared/tables.errors.js';
import { toCellChange, toColumnsDiff, toRowsDiff, VersionDiffQuery, VersionDiffResponse } from './version-diffs.dto.js';
import { largeAnswer } from '../cells/large-answer.js';
import { VersionDiffsService } from './version-diffs.service.js';
import { VersionPath } from './versions.dto.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Versions')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/versions/:version_id/diff')
export class VersionDiffsController {
  constructor(private readonly diffs: VersionDiffsService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'Compare two versions of a sheet.',
    description: `Returns what changed between the version in the path and another one, by default the newest: columns and spans of rows on the first page, changed cells page by page. ${CURSOR_PAGES}`,
  })
  @RefuseInvalidWith400()
  @ApiOkResponse({ type: VersionDiffResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    VersionErrors.version_not_found,
    PlatformErrors.cursor_invalid,
    PlatformErrors.reading_timeout,
    PlatformErrors.reading_busy,
  )
  async compare(
    @CurrentCaller() caller: Caller,
    @Param() path: VersionPath,
    @Query() query: VersionDiffQuery,
  ): Promise<VersionDiffResponse | StreamableFile> {
    const { against, cursor, limit = 100 } = query;
    const page = await this.diffs.compare(caller, path, { against, cursor, limit });
    const { before, after, isForward, list, large } = page;
    const { data, pagination, count } = toPage(page.cells, { limit, cursor, shown: page.shown }, list, (cell) => [
      after.version,
      Number(cell.columnKey),
      cell.rowIndex,
    ]);
    const answer = {
      success: true as const,
      from_version: before.version,
      to_version: after.version,
      ...(cursor === undefined && { columns: toColumnsDiff(before, after), rows: toRowsDiff(before.rows, after.rows) }),
      data: data.map((cell) => toCellChange(cell, isForward)),
      pagination,
      count,
    };
    return largeAnswer(answer, large);
  }
}
