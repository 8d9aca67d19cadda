import { Body, Controller, Delete, Get, Param, Patch, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { FolderErrors } from '../../folders/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { toPage } from '../../platform/http/list.js';
import { Throws } from '../../platform/http/throws.js';
import { TablePath, toSheetBody } from '../sheets/sheets.dto.js';
import { promptFilters } from '../../grid/prompt-links/column-prompts.queries.js';
import { TableErrors } from '../shared/tables.errors.js';
import {
  CreateTableRequest,
  CreateTableResponse,
  DeleteTableResponse,
  ListTablesQuery,
  TableResponse,
  TablesResponse,
  toTableBody,
  toTableDetailBody,
  UpdateTableRequest,
} from './tables.dto.js';
import { tableOrder, TablesService } from './tables.service.js';
import { CURSOR_PAGES } from '../shared/field-descriptions.js';

@ApiTags('Tables')
@Controller('api/public/v2/tables')
export class TablesController {
  constructor(private readonly tables: TablesService) {}

  @IdempotentPost()
  @Stores()
  @ApiOperation({
    summary: 'Create a table, by default with a first sheet.',
    description:
      'The default sheet is called "Sheet 1" and has the text column "Column A" and one empty row. With `create_default_sheet: false` the table has no sheets, and `default_sheet` is absent. 404 when the folder does not exist.',
  })
  @Can('TABLE_CREATE')
  @ApiCreatedResponse({ type: CreateTableResponse })
  @Throws(FolderErrors.folder_not_found)
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateTableRequest): Promise<CreateTableResponse> {
    const { title, folder_id: folderId, create_default_sheet: withSheet = true } = body;
    const { table, sheets } = await this.tables.create(caller, { title, folderId, withSheet });
    const [sheet] = sheets;
    return {
      success: true,
      message: 'Table created.',
      table: toTableDetailBody(table, sheets),
      ...(sheet && { default_sheet: toSheetBody(sheet) }),
    };
  }

  @Get()
  @ApiOperation({
    summary: 'List the tables of the workspace, newest first.',
    description: `Lists the tables that are not deleted, by the time they were created. All filters given must match; the prompt filters keep tables with a column that uses that prompt, version or label. ${CURSOR_PAGES}`,
  })
  @ApiOkResponse({ type: TablesResponse })
  @Throws(PlatformErrors.cursor_invalid)
  async list(@CurrentCaller() caller: Caller, @Query() query: ListTablesQuery): Promise<TablesResponse> {
    const { cursor, limit = 20, order = 'desc', name, folder_id: folderId } = query;
    const filters = { name, folderId, ...promptFilters(query) };
    const tables = await this.tables.list(caller, filters, { cursor, limit, order });
    const { data, ...envelope } = toPage(tables, { limit, cursor }, tableOrder(order, filters), ({ table }) => [
      table.createdAt.toISOString(),
      table.id,
    ]);
    return { data: data.map(({ table, sheetCount }) => toTableBody(table, sheetCount)), ...envelope };
  }

  @Get(':table_id')
  @ApiOperation({
    summary: 'Read a table.',
    description:
      'Returns the table with the number of rows of each sheet. List its sheets with `GET …/sheets`. 404 when it was deleted or belongs to another workspace.',
  })
  @ApiOkResponse({ type: TableResponse })
  @Throws(TableErrors.table_not_found)
  async get(@CurrentCaller() caller: Caller, @Param() path: TablePath): Promise<TableResponse> {
    const { table, sheets } = await this.tables.get(caller, path.table_id.toLowerCase());
    return { success: true, table: toTableDetailBody(table, sheets) };
  }

  @Patch(':table_id')
  @ApiOperation({
    summary: 'Rename a table or put it into another folder.',
    description:
      'Changes what is given and answers the table. `folder_id: null` moves the table to the top level; a key that is left out changes nothing. 404 when the table or the folder does not exist.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: TableResponse })
  @Throws(TableErrors.table_not_found, FolderErrors.folder_not_found)
  async update(
    @CurrentCaller() caller: Caller,
    @Param() path: TablePath,
    @Body() body: UpdateTableRequest,
  ): Promise<TableResponse> {
    const change = { title: body.title, folderId: body.folder_id };
    const { table, sheets } = await this.tables.update(caller, path.table_id.toLowerCase(), change);
    return { success: true, table: toTableDetailBody(table, sheets) };
  }

  @Delete(':table_id')
  @ApiOperation({
    summary: 'Delete a table with all its sheets.',
    description:
      'The table and everything in it return 404 from now on; whatever is being computed or imported in its sheets ends. Needs the permission TABLE_DELETE.',
  })
  @Can('TABLE_DELETE')
  @ApiOkResponse({ type: DeleteTableResponse })
  @Throws(TableErrors.table_not_found)
  async delete(@CurrentCaller() caller: Caller, @Param() path: TablePath): Promise<DeleteTableResponse> {
    await this.tables.delete(caller, path.table_id.toLowerCase());
    return { success: true, message: 'Table deleted.' };
  }
}
