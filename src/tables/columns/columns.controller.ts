import { Body, Controller, Delete, Get, Param, Patch, Query, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { jsonWithList, streamJson } from '../../platform/http/json-stream.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { freshCells } from '../../grid/computing/cell-view.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { TableErrors } from '../shared/tables.errors.js';
import type { ColumnPatch } from '../../grid/columns/column-change.js';
import { ColumnChangesService } from './column-changes.service.js';
import {
  ColumnPath,
  ColumnsResponse,
  CreateColumnRequest,
  CreateColumnResponse,
  DeleteColumnResponse,
  ListColumnsQuery,
  NEW_COLUMNS,
  toColumnBody,
  toDependency,
  UpdateColumnRequest,
  UpdateColumnResponse,
} from './columns.dto.js';
import { columnOrder, ColumnsService } from './columns.service.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Columns')
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/columns')
export class ColumnsController {
  constructor(
    private readonly columns: ColumnsService,
    private readonly changes: ColumnChangesService,
  ) {}

  @IdempotentPost()
  @ApiOperation({
    summary: 'Add a column.',
    description:
      'Adds the column at the right end, with a cell for every row; this makes one version of the sheet. The cells of a computed column are stale in the answer and are queued at once, unless `compute` is false. Nothing is added when the config does not fit the type, or names a column that does not exist.',
  })
  @Can('TABLE_EDIT')
  @ApiBody({ type: CreateColumnRequest, examples: NEW_COLUMNS })
  @ApiCreatedResponse({ type: CreateColumnResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_type_not_creatable,
    GridErrors.column_config_invalid,
    GridErrors.column_reference_unknown,
    GridErrors.column_reference_ambiguous,
  )
  async create(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: CreateColumnRequest,
  ): Promise<StreamableFile> {
    const { title, type, config, dependencies, is_output_column, compute } = body;
    const { sheet, column, blank, columns, version } = await this.columns.create(caller, path, {
      title,
      type: type ?? null,
      config: config ?? {},
      dependencies: (dependencies ?? []).map(toDependency),
      isOutputColumn: is_output_column ?? undefined,
      isQueued: compute ?? true,
    });
    const answer: Omit<CreateColumnResponse, 'cells'> = {
      success: true,
      column: toColumnBody(column, columns.edgesOf(column)),
      version,
    };
    return streamJson(jsonWithList(answer, 'cells', freshCells(sheet, column, blank)));
  }

  @Get()
  @ApiOperation({
    summary: 'List the columns of a sheet.',
    description: `Lists the columns in the order in which they are shown, with their configs and dependencies. ${CURSOR_PAGES}`,
  })
  @ApiOkResponse({ type: ColumnsResponse })
  @Throws(TableErrors.table_not_found, TableErrors.sheet_not_found, PlatformErrors.cursor_invalid)
  async list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ListColumnsQuery,
  ): Promise<ColumnsResponse> {
    const { cursor, limit = 100, order = 'asc', include_system_columns: withSystem = false } = query;
    const { columns, list } = await this.columns.list(caller, path, { cursor, limit, order, withSystem });
    const { data, ...envelope } = toPage(list, { limit, cursor }, columnOrder(path, order), (column) => [
      column.positionRank,
    ]);
    return { data: data.map((column) => toColumnBody(column, columns.edgesOf(column))), ...envelope };
  }

  @Patch(':column_id')
  @ApiOperation({
    summary: 'Change or move a column.',
    description:
      'Changes what is given. The cells of the column and of all that read it become stale when they would be computed differently; a new title alone changes no values. A change and a move make one version each, so a request that does both makes two. A column that reads everything to its left becomes stale when the columns there change.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: UpdateColumnResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_not_found,
    GridErrors.column_type_not_creatable,
    GridErrors.column_type_fixed,
    GridErrors.column_of_server,
    GridErrors.column_config_invalid,
    GridErrors.column_reference_unknown,
    GridErrors.column_reference_ambiguous,
    GridErrors.cycle_detected,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: ColumnPath,
    @Body() body: UpdateColumnRequest,
  ): Promise<UpdateColumnResponse> {
    const { column, columns, affected, version } = await this.changes.update(caller, path, toPatch(body));
    return {
      success: true,
      column: toColumnBody(column, columns.edgesOf(column)),
      requires_recalculation: affected.length > 0,
      affected_column_ids: affected.map(({ id }) => id),
      version,
    };
  }

  @Delete(':column_id')
  @ApiOperation({
    summary: 'Delete a column.',
    description:
      'Deletes the column with its cells. Columns that read it keep their config, and their cells become stale. Columns that the server keeps cannot be deleted (400 `column_of_server`). Needs the permission TABLE_DELETE.',
  })
  @Can('TABLE_DELETE')
  @ApiOkResponse({ type: DeleteColumnResponse })
  @Throws(
    TableErrors.table_not_found,
    TableErrors.sheet_not_found,
    GridErrors.column_not_found,
    GridErrors.column_of_server,
  )
  async delete(@CurrentCaller() caller: Caller, @Param() path: ColumnPath): Promise<DeleteColumnResponse> {
    const { staleCount, version } = await this.changes.delete(caller, path);
    return { success: true, message: 'Column deleted.', stale_count: staleCount, version };
  }
}

/** null changes nothing, like a key that is left out. */
function toPatch(body: UpdateColumnRequest): ColumnPatch & { type?: string; position?: number } {
  return {
    title: body.title ?? undefined,
    type: body.type ?? undefined,
    config: body.config ?? undefined,
    dependencies: body.dependencies?.map(toDependency),
    isOutputColumn: body.is_output_column ?? undefined,
    position: body.position ?? undefined,
  };
}
