import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { BINARY } from '../../platform/http/binary.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { readFilterText } from '../../platform/filters/filter-text.js';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { Throws } from '../../platform/http/throws.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { RowErrors } from '../rows/rows.errors.js';
import { TableErrors } from '../shared/tables.errors.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import { attachment } from '../../platform/http/attachment.js';
import { SheetExportQuery } from './sheet-exports.dto.js';
import { SheetExportErrors } from './sheet-exports.errors.js';
import { SheetExportsService } from './sheet-exports.service.js';
import { EXPORT_TYPES } from './sheet-writer.js';

@ApiTags('Sheets')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/export')
export class SheetExportsController {
  constructor(private readonly exports: SheetExportsService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'Download a sheet as CSV, JSON lines or XLSX.',
    description:
      'The file has all rows, or those that match a filter, and all columns in the order of the sheet, as of one moment. A failed cell shows its last good value. CSV files have an apostrophe before texts that a spreadsheet program would run as a formula; importing the file removes it, and `escape_formulas=false` leaves it out. XLSX files begin with a page of statistics for each column.',
  })
  @ApiOkResponse({
    description: 'The file.',
    content: Object.fromEntries(Object.values(EXPORT_TYPES).map((type) => [type.split(';')[0]!, BINARY])),
  })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    VersionErrors.version_not_found,
    SheetExportErrors.sheet_export_too_large,
    RowErrors.rows_of_version_unfiltered,
    FilterErrors.filter_invalid,
    GridErrors.column_reference_ambiguous,
    PlatformErrors.reading_busy,
  )
  async download(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: SheetExportQuery,
  ): Promise<StreamableFile> {
    const { format = 'csv', version, escape_formulas: escapeFormulas = true } = query;
    const { include_system_columns: withSystem = false, include_reused: withReused = false } = query;
    const filter = readFilterText(query.filter, 'filter');
    const part = { version, withSystem, withReused, filter, escapeFormulas };
    const { title, content } = await this.exports.open(caller, path, { format, ...part });
    return new StreamableFile(content, {
      type: EXPORT_TYPES[format],
      disposition: attachment(`${title}.${format}`),
    });
  }
}
