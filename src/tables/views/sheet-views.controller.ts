import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { GridErrors } from '../grid/grid.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../tables.errors.js';
import { SheetViewRequest, SheetViewResponse, toSheetViewResponse } from './sheet-views.dto.js';
import { SheetViewsService } from './sheet-views.service.js';

@ApiTags('Sheets')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/view')
export class SheetViewsController {
  constructor(private readonly views: SheetViewsService) {}

  @Get()
  @ApiOperation({
    summary: 'Read which columns of a sheet are hidden or pinned, and how wide they are.',
    description:
      'Columns that were deleted since are left out. They are in it again when a version with them is restored.',
  })
  @ApiOkResponse({ type: SheetViewResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: SheetPath): Promise<SheetViewResponse> {
    return toSheetViewResponse(await this.views.get(caller, path));
  }

  @Put()
  @ApiOperation({
    summary: 'Set which columns of a sheet are hidden or pinned, and how wide they are.',
    description:
      'Replaces the whole view, which is the same for everybody; when two people change it at once the last one decides. It is no part of the content: it makes no version, and reading rows is not different for it.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: SheetViewResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, GridErrors.column_not_found)
  async put(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: SheetViewRequest,
  ): Promise<SheetViewResponse> {
    return toSheetViewResponse(await this.views.put(caller, path, body));
  }
}
