import { Body, Controller, Delete, Get, Header, Param, Query, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { readJson } from '../../platform/read-json.js';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { JSON_TYPE, jsonWithList, jsonWithPieces, streamJson } from '../../platform/http/json-stream.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { CellBody } from '../cells/cells.dto.js';
import { toColumnBody } from '../columns/columns.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { GridErrors } from '../grid/grid.errors.js';
import { TableErrors } from '../tables.errors.js';
import { VersionErrors } from '../grid/versions/versions.errors.js';
import {
  AddRowsRequest,
  AddRowsResponse,
  DeleteRowsRequest,
  DeleteRowsResponse,
  ListRowsQuery,
  MetricAggregateBody,
  type RowBody,
  RowsResponse,
  toAggregatesBody,
} from './rows.dto.js';
import { RowsService } from './rows.service.js';

@ApiTags('Rows')
@ApiExtraModels(CellBody, MetricAggregateBody)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/rows')
export class RowsController {
  constructor(private readonly rows: RowsService) {}

  @Get()
  @ApiOperation({ summary: 'List rows with all their cells, as they are now or as they were at a version.' })
  @ApiOkResponse({ type: RowsResponse })
  @Header('content-type', JSON_TYPE)
  @Validates()
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    VersionErrors.version_not_found,
    PlatformErrors.cursor_invalid,
  )
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ListRowsQuery,
  ): Promise<string | StreamableFile> {
    const { cursor, limit = 100, order = 'asc', include_row_count = true } = query;
    const { include_columns = cursor === undefined } = query;
    const { include_system_columns: withSystem = false } = query;
    const { include_execution_metadata_aggregates: withAggregates = false } = query;
    const page = { cursor, limit, order, version: query.version, withSystem, withAggregates };
    const { grid, list, envelope, rows, aggregates } = await this.rows.list(caller, path, page);
    const { columns } = grid;
    const answer: Omit<RowsResponse, 'data'> = {
      ...envelope,
      ...(include_row_count && { row_count: grid.rows.count }),
      columns: include_columns ? list.map((column) => toColumnBody(column, columns.edgesOf(column))) : [],
      version: grid.version,
      ...(aggregates && { execution_metadata_aggregates: toAggregatesBody(aggregates) }),
    };
    if (rows.texts) return [...jsonWithList(answer, 'data', rows.texts)].join('');
    return streamJson(jsonWithPieces(answer, 'data', rows.pieces));
  }

  @IdempotentPost()
  @ApiOperation({ summary: 'Add rows at the end.' })
  @Can('TABLE_EDIT')
  @ApiCreatedResponse({ type: AddRowsResponse })
  @Validates()
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.sheet_without_columns,
    GridErrors.row_limit_exceeded,
    GridErrors.column_reference_unknown,
    GridErrors.column_reference_ambiguous,
    GridErrors.column_given_twice,
    GridErrors.column_not_editable,
    GridErrors.cell_text_only,
    GridErrors.cell_value_refused,
  )
  async add(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: AddRowsRequest,
  ): Promise<AddRowsResponse> {
    const added = await this.rows.add(caller, path, { count: body.count ?? 1, values: body.values ?? [] });
    return {
      success: true,
      rows_created: added.rows.length,
      start_row_index: added.indexes[0]!,
      row_indices: added.indexes,
      rows: added.rows.map((row) => readJson(row) as unknown as RowBody),
      cell_count: added.cellCount,
      row_count: added.sheet.rows.count,
      version: added.sheet.version,
    };
  }

  @Delete()
  @ApiOperation({ summary: 'Delete rows. The others keep their indexes.' })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: DeleteRowsResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found)
  async delete(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: DeleteRowsRequest,
  ): Promise<DeleteRowsResponse> {
    const { sheet, deletedCount } = await this.rows.delete(caller, path, body.row_indices);
    return { success: true, deleted_count: deletedCount, row_count: sheet.rows.count, version: sheet.version };
  }
}
