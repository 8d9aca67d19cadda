import { Body, Controller, Get, Param, Patch, Query, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { jsonWithList, streamJson } from '../../platform/http/json-stream.js';
import { Throws } from '../../platform/http/throws.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { TableErrors } from '../shared/tables.errors.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import {
  CellPath,
  CellResponse,
  FindCellQuery,
  toCellDetail,
  toCellEdit,
  toEdits,
  UpdateCellRequest,
  UpdateCellResponse,
  UpdateCellsRequest,
  UpdateCellsResponse,
} from './cells.dto.js';
import { CellsService } from './cells.service.js';
import { filled, largeAnswer } from './large-answer.js';

@ApiTags('Cells')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/cells')
export class CellsController {
  constructor(private readonly cells: CellsService) {}

  @Get()
  @ApiOperation({
    summary: 'Read a cell by its row and column.',
    description:
      'Returns the cell where a row and a column cross, named by the id or the exact title of the column. 404 when there is no such row or column, 400 when several columns have that title.',
  })
  @ApiOkResponse({ type: CellResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.row_not_found,
    GridErrors.column_not_found,
    GridErrors.column_reference_ambiguous,
  )
  async find(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() { row_index: rowIndex, column }: FindCellQuery,
  ): Promise<CellResponse | StreamableFile> {
    const detail = await this.cells.find(caller, path, { rowIndex, column });
    return largeAnswer({ success: true, cell: toCellDetail(detail) }, detail.large);
  }

  @Get(':cell_id')
  @ApiOperation({
    summary: 'Read a cell.',
    description:
      'Returns the value, the state and, for a stale cell, what made it stale. The ids of cells are in `GET …/rows`.',
  })
  @ApiOkResponse({ type: CellResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, GridErrors.cell_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: CellPath): Promise<CellResponse | StreamableFile> {
    const detail = await this.cells.get(caller, path);
    return largeAnswer({ success: true, cell: toCellDetail(detail) }, detail.large);
  }

  @Patch()
  @Stores()
  @ApiOperation({
    summary: 'Write many cells as one version.',
    description:
      'Writes up to 5,000 cells, each like a PATCH of that cell. When one of them is refused, nothing is written, and the message names it, such as `cells[2]`. Cells computed from them become stale and are not recalculated, unless the sheet has `auto_recalculate`.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: UpdateCellsResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.cell_not_found,
    GridErrors.row_not_found,
    GridErrors.column_not_found,
    GridErrors.column_reference_ambiguous,
    GridErrors.cell_given_twice,
    GridErrors.column_not_editable,
    GridErrors.cell_text_only,
    GridErrors.cell_value_refused,
  )
  async updateMany(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: UpdateCellsRequest,
  ): Promise<StreamableFile> {
    const { version, changedCount, staleCount, cells, large } = await this.cells.editMany(caller, path, toEdits(body));
    const answer: Omit<UpdateCellsResponse, 'cells'> = {
      success: true,
      version,
      changed_count: changedCount,
      stale_count: staleCount,
    };
    return streamJson(filled(large, jsonWithList(answer, 'cells', cells)));
  }

  @Patch(':cell_id')
  @Stores()
  @ApiOperation({
    summary: 'Write a text cell, or answer a HUMAN cell.',
    description:
      'Writes cells of text columns and of HUMAN columns, whose answers have to fit their config; of an imported cell only `display_value` can change. Cells computed from it become stale and are not recalculated, unless the sheet has `auto_recalculate`. An edit makes a version; writing the present value changes nothing. Computed cells are refused with 400 `column_not_editable`.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: UpdateCellResponse })
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
  ): Promise<UpdateCellResponse | StreamableFile> {
    const { version, staleCount, ...detail } = await this.cells.edit(caller, path, toCellEdit(body));
    const answer = { success: true as const, cell: toCellDetail(detail), version, stale_count: staleCount };
    return largeAnswer(answer, detail.large);
  }
}
