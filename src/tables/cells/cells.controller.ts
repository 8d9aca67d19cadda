import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { GridErrors } from '../grid/grid.errors.js';
import { TableErrors } from '../tables.errors.js';
import { CellPath, CellResponse, toCellDetail, UpdateCellRequest, UpdateCellResponse } from './cells.dto.js';
import { CellsService } from './cells.service.js';

@ApiTags('Cells')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/cells/:cell_id')
export class CellsController {
  constructor(private readonly cells: CellsService) {}

  @Get()
  @ApiOperation({ summary: 'Read a cell.' })
  @ApiOkResponse({ type: CellResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, GridErrors.cell_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: CellPath): Promise<CellResponse> {
    return { success: true, cell: toCellDetail(await this.cells.get(caller, path)) };
  }

  @Patch()
  @ApiOperation({
    summary: 'Write a text cell or answer one. Cells computed from it become stale and wait for a recalculation.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: UpdateCellResponse })
  @Validates()
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.cell_not_found,
    GridErrors.column_not_editable,
    GridErrors.cell_text_only,
    GridErrors.cell_value_refused,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: CellPath,
    @Body() body: UpdateCellRequest,
  ): Promise<UpdateCellResponse> {
    const { version, staleCount, ...detail } = await this.cells.edit(caller, path, {
      value: body.value,
      displayValue: body.display_value,
    });
    return { success: true, cell: toCellDetail(detail), version, stale_count: staleCount };
  }
}
