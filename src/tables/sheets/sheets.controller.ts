import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessErrors, type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { promptFilters } from '../../grid/prompt-links/column-prompts.queries.js';
import { TableErrors } from '../shared/tables.errors.js';
import { SheetChangesService } from './sheet-changes.service.js';
import {
  DeleteSheetResponse,
  ListSheetsQuery,
  SheetPath,
  SheetResponse,
  SheetsResponse,
  TablePath,
  toSheetBody,
  UpdateSheetRequest,
  UpdateSheetResponse,
} from './sheets.dto.js';
import { sheetOrder, SheetsService } from './sheets.service.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Sheets')
@Controller('api/public/v2/tables/:table_id/sheets')
export class SheetsController {
  constructor(
    private readonly sheets: SheetsService,
    private readonly changes: SheetChangesService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'List the sheets of a table.',
    description: `Lists the sheets that are not deleted, by position. The prompt filters keep sheets with a column that uses that prompt, version or label. ${CURSOR_PAGES}`,
  })
  @ApiOkResponse({ type: SheetsResponse })
  @Throws(TableErrors.table_not_found, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: TablePath,
    @Query() query: ListSheetsQuery,
  ): Promise<SheetsResponse> {
    const { cursor, limit = 20, order = 'asc' } = query;
    const tableId = path.table_id.toLowerCase();
    const filters = promptFilters(query);
    const sheets = await this.sheets.list(caller, { tableId, filters }, { cursor, limit, order });
    const list = sheetOrder(tableId, filters, order);
    const { data, ...envelope } = toPage(sheets, { limit, cursor }, list, (sheet) => [sheet.index, sheet.id]);
    return { data: data.map(toSheetBody), ...envelope };
  }

  @Get(':sheet_id')
  @ApiOperation({
    summary: 'Read a sheet.',
    description:
      'Returns the title, position, number of rows and version of a sheet. Read its content with `GET …/columns` and `GET …/rows`. 404 when the sheet was deleted or belongs to another table.',
  })
  @ApiOkResponse({ type: SheetResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<SheetResponse> {
    return { success: true, sheet: toSheetBody(await this.sheets.get(caller, path)) };
  }

  @Patch(':sheet_id')
  @ApiOperation({
    summary: 'Change the title, position or automatic recalculation of a sheet.',
    description:
      'A new title or position makes a version of the sheet; a request that changes neither leaves the version as it is. A wider `auto_recalculate` queues cells that are already stale.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: UpdateSheetResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: UpdateSheetRequest,
  ): Promise<UpdateSheetResponse> {
    const sheet = await this.changes.update(caller, path, body);
    return { success: true, sheet: toSheetBody(sheet), version: sheet.version };
  }

  @Delete(':sheet_id')
  @ApiOperation({
    summary: 'Delete a sheet.',
    description:
      'The sheet and everything in it return 404 from now on; operations and imports in it end, and the sheets after it move up. Needs the permission TABLE_DELETE.',
  })
  @Can('TABLE_DELETE')
  @ApiOkResponse({ type: DeleteSheetResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, AccessErrors.permission_missing)
  async delete(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<DeleteSheetResponse> {
    await this.changes.delete(caller, path);
    return { success: true, message: 'Sheet deleted.' };
  }
}
