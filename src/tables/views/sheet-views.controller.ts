import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../shared/tables.errors.js';
import { SheetViewRequest, SheetViewResponse, toSheetViewResponse } from './sheet-views.dto.js';
import { SheetViewsService } from './sheet-views.service.js';

@ApiTags('Sheets')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/view')
export class SheetViewsController {
  constructor(private readonly views: SheetViewsService) {}

  @Get()
  @ApiOperation({
    summary: 'Read which columns of a sheet are hidden or pinned, how wide they are, and how tall rows are.',
    description:
      'The view is the same for everybody. Deleted columns are left out; they reappear when a version with them is restored.',
  })
  @ApiOkResponse({ type: SheetViewResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<SheetViewResponse> {
    return toSheetViewResponse(await this.views.get(caller, path));
  }

  @Put()
  @ApiOperation({
    summary: 'Set which columns of a sheet are hidden or pinned, how wide they are, and how tall rows are.',
    description:
      'Replaces the whole view, which is the same for everybody; of two simultaneous changes the last one wins. The view only affects the console: it makes no version and does not change what rows answer.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: SheetViewResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, GridErrors.column_not_found)
  async put(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: SheetViewRequest,
  ): Promise<SheetViewResponse> {
    return toSheetViewResponse(await this.views.put(caller, path, body));
  }
}
