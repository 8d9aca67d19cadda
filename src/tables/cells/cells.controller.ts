import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { TableErrors } from '../tables.errors.js';
import { CellPath, CellResponse, UpdateCellRequest, UpdateCellResponse } from './cells.dto.js';
import { CellsService } from './cells.service.js';

@ApiTags('Cells')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/cells/:cell_id')
export class CellsController {
  constructor(private readonly cells: CellsService) {}

  @Get()
  @ApiOperation({ summary: 'Read a cell.' })
  @ApiOkResponse({ type: CellResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, TableErrors.cell_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: CellPath): Promise<CellResponse> {
    return { success: true, cell: await this.cells.get(caller, path) };
  }

  @Patch()
  @ApiOperation({
    summary: 'Write a text cell. Cells computed from it become stale and wait for a recalculation.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: UpdateCellResponse })
  @Validates()
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    TableErrors.cell_not_found,
    TableErrors.column_not_editable,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: CellPath,
    @Body() body: UpdateCellRequest,
  ): Promise<UpdateCellResponse> {
    const { cell, version, staleCount } = await this.cells.edit(caller, path, {
      value: body.value,
      displayValue: body.display_value,
    });
    return { success: true, cell, version, stale_count: staleCount };
  }
}
