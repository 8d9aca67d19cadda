import { Body, Controller, Get, Param, Post, Query, type StreamableFile } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { jsonWithList, streamJson } from '../../platform/http/json-stream.js';
import { toPage } from '../../platform/http/list.js';
import { Throws, Validates } from '../../platform/http/throws.js';
import { freshCells } from '../cells/cell-view.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { TableErrors } from '../tables.errors.js';
import {
  ColumnsResponse,
  CreateColumnRequest,
  CreateColumnResponse,
  type DependencyRequest,
  ListColumnsQuery,
  toColumnBody,
} from './columns.dto.js';
import { columnOrder, ColumnsService } from './columns.service.js';
import type { GivenDependency } from './references.js';

@ApiTags('Columns')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/columns')
export class ColumnsController {
  constructor(private readonly columns: ColumnsService) {}

  @Post()
  @ApiOperation({ summary: 'Add a column. A computed column starts filling in at once.' })
  @Can('TABLE_EDIT')
  @ApiCreatedResponse({ type: CreateColumnResponse })
  @Validates()
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    TableErrors.column_type_not_creatable,
    TableErrors.column_config_invalid,
    TableErrors.column_reference_unknown,
    TableErrors.column_reference_ambiguous,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: CreateColumnRequest,
  ): Promise<StreamableFile> {
    const { title, type, config, dependencies, is_output_column } = body;
    const { sheet, column, computed, columns, version } = await this.columns.create(caller, path, {
      title,
      type,
      config: config ?? {},
      dependencies: (dependencies ?? []).map(toDependency),
      isOutputColumn: is_output_column ?? undefined,
    });
    const answer: Omit<CreateColumnResponse, 'cells'> = {
      success: true,
      column: toColumnBody(column, columns.edgesOf(column)),
      version,
    };
    return streamJson(jsonWithList(answer, 'cells', freshCells(sheet, column, computed)));
  }

  @Get()
  @ApiOperation({ summary: 'List the columns of a sheet.' })
  @ApiOkResponse({ type: ColumnsResponse })
  @Validates()
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ListColumnsQuery,
  ): Promise<ColumnsResponse> {
    const { cursor, limit = 100, order = 'asc' } = query;
    const { columns, list } = await this.columns.list(caller, path, { cursor, limit, order });
    const { data, ...envelope } = toPage(list, limit, columnOrder(path, order), (column) => [column.positionRank]);
    return { data: data.map((column) => toColumnBody(column, columns.edgesOf(column))), ...envelope };
  }
}

function toDependency({ column_id, config_key, config_meta }: DependencyRequest): GivenDependency {
  return { columnId: column_id, configKey: config_key ?? null, configMeta: config_meta ?? null };
}
