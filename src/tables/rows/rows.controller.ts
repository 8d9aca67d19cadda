import {
  applyDecorators,
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Post,
  Query,
  type StreamableFile,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { EndsWithClient } from '../../platform/http/ends-with-client.js';
import { readJson } from '../../platform/read-json.js';
import { type Caller, Can, CurrentCaller } from '../../access/index.js';
import { Stores } from '../../storage/index.js';
import { PlatformErrors } from '../../platform/errors/platform.errors.js';
import { ValidationProblem } from '../../platform/errors/problem.js';
import { FilterErrors } from '../../platform/filters/errors.js';
import { readFilterText } from '../../platform/filters/filter-text.js';
import { IdempotentPost } from '../../platform/http/idempotency/idempotent-post.js';
import { JSON_TYPE, jsonWithList, jsonWithPieces, streamJson } from '../../platform/http/json-stream.js';
import { ExactIntegers } from '../../platform/http/request.js';
import { Throws } from '../../platform/http/throws.js';
import { CellBody } from '../cells/cells.dto.js';
import { toColumnBody } from '../columns/columns.dto.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import { GridErrors } from '../../grid/shared/grid.errors.js';
import { TableErrors } from '../shared/tables.errors.js';
import { VersionErrors } from '../../grid/versions/versions.errors.js';
import {
  AddRowsRequest,
  AddRowsResponse,
  DeleteRowsRequest,
  DeleteRowsResponse,
  GridJudgementBody,
  GridRowsResponse,
  ListRowsQuery,
  MAX_FULL_ROWS,
  MetricAggregateBody,
  type RowBody,
  RowsResponse,
  SearchRowsRequest,
  toAggregatesBody,
} from './rows.dto.js';
import { RowErrors } from './rows.errors.js';
import { type RowsPage, RowsService } from './rows.service.js';

/** The options of a list of rows, from the query string or from the body. */
type AskedRows = Omit<SearchRowsRequest, 'filter'> & { filter?: unknown; version?: string; place: 'query' | 'body' };

/** Throws a 422 for parameters that exclude each other. */
function toPage({ version, filter, place, ...asked }: AskedRows): RowsPage {
  return {
    ...toPart(asked, place),
    version,
    filter,
    place,
    sort: asked.sort ?? undefined,
    order: asked.order ?? 'asc',
    withSystem: asked.include_system_columns ?? false,
    withAggregates: asked.include_execution_metadata_aggregates ?? false,
  };
}

function toPart(asked: Omit<AskedRows, 'place'>, place: 'query' | 'body') {
  const { view, limit, from_row: fromRow, cursor, columns } = asked;
  const refuse = (key: string, msg: string) => new ValidationProblem([{ loc: [place, key], msg, type: 'value_error' }]);
  if (view !== 'grid' && (limit ?? 0) > MAX_FULL_ROWS) {
    throw refuse('limit', `Use at most ${MAX_FULL_ROWS}, or the grid view`);
  }
  if (isGiven(fromRow) && isGiven(cursor)) throw refuse('from_row', 'Give either from_row or cursor');
  return {
    view: view ?? 'full',
    limit: limit ?? MAX_FULL_ROWS,
    fromRow: fromRow ?? undefined,
    cursor: cursor ?? undefined,
    columnIds: columns ?? undefined,
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function AnswersRows(): MethodDecorator {
  const answers = [RowsResponse, GridRowsResponse].map((answer) => ({ $ref: getSchemaPath(answer) }));
  return applyDecorators(ApiOkResponse({ schema: { anyOf: answers } }), Header('content-type', JSON_TYPE));
}

const REFUSALS = [
  TableErrors.table_not_found,
  TableErrors.sheet_not_found,
  PlatformErrors.cursor_invalid,
  FilterErrors.filter_invalid,
  GridErrors.column_not_found,
  GridErrors.column_reference_ambiguous,
  PlatformErrors.reading_timeout,
  PlatformErrors.reading_busy,
];

@ApiTags('Rows')
@ApiExtraModels(CellBody, MetricAggregateBody, RowsResponse, GridRowsResponse, GridJudgementBody)
@Controller('api/public/v2/tables/:table_id/sheets/:sheet_id/rows')
export class RowsController {
  constructor(private readonly rows: RowsService) {}

  @EndsWithClient()
  @Get()
  @ApiOperation({
    summary: 'List rows with all their cells, as they are now or as they were at a version.',
    description:
      'Pages by cursor. Rows of an earlier version can be neither filtered nor sorted by a column (400 `rows_of_version_unfiltered`). `view=grid` and `from_row` are for screens that show a part of a sheet.',
  })
  @AnswersRows()
  @Throws(VersionErrors.version_not_found, RowErrors.rows_of_version_unfiltered, ...REFUSALS)
  list(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Query() query: ListRowsQuery,
  ): Promise<string | StreamableFile> {
    const filter = readFilterText(query.filter, 'filter');
    return this.answer(caller, path, { ...query, columns: query.columns?.split(','), filter, place: 'query' });
  }

  @EndsWithClient()
  @Post('search')
  @HttpCode(200)
  @ExactIntegers()
  @ApiOperation({
    summary: 'List rows by a filter that is too long for a query string.',
    description: 'Takes the parameters of `GET …/rows` as a body and answers the same.',
  })
  @AnswersRows()
  @Throws(...REFUSALS)
  search(
    @CurrentCaller() caller: Caller,
    @Param() path: SheetPath,
    @Body() body: SearchRowsRequest,
  ): Promise<string | StreamableFile> {
    return this.answer(caller, path, { ...body, place: 'body' });
  }

  private async answer(caller: Caller, path: SheetPath, asked: AskedRows): Promise<string | StreamableFile> {
    const page = toPage(asked);
    const { grid, list, envelope, rows, aggregates, matching } = await this.rows.list(caller, path, page);
    const withColumns = asked.include_columns ?? page.cursor === undefined;
    const withCount = asked.include_row_count ?? true;
    const answer: Omit<RowsResponse | GridRowsResponse, 'data'> = {
      ...envelope,
      ...(page.view === 'grid' && { column_ids: list.map(({ id }) => id) }),
      ...(withCount && { row_count: grid.rows.count }),
      ...(withCount && matching !== undefined && { matching_row_count: matching }),
      columns: withColumns ? list.map((column) => toColumnBody(column, grid.columns.edgesOf(column))) : [],
      version: grid.version,
      ...(aggregates && { execution_metadata_aggregates: toAggregatesBody(aggregates) }),
    };
    if (rows.texts) return [...jsonWithList(answer, 'data', rows.texts)].join('');
    return streamJson(jsonWithPieces(answer, 'data', rows.pieces));
  }

  @IdempotentPost()
  @Stores({ rows: ({ count }) => (typeof count === 'number' ? count : 1) })
  @ApiOperation({
    summary: 'Add rows at the end.',
    description:
      'Adds up to 100 rows after the last one, which makes one version of the sheet. Computed cells are stale and not queued: recalculate them when all values are in. Nothing is added when a value names an unknown or a computed column; a sheet without columns takes no rows.',
  })
  @Can('TABLE_EDIT')
  @ApiCreatedResponse({ type: AddRowsResponse })
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
      rows: added.rows.map((row) => readJson<RowBody>(row)),
      cell_count: added.cellCount,
      row_count: added.sheet.rows.count,
      version: added.sheet.version,
    };
  }

  @Delete()
  @ApiOperation({
    summary: 'Delete rows.',
    description:
      'Deletes the rows with their cells; the other rows keep their indexes. Computations in deleted rows end. Indexes that do not exist are ignored; deleting nothing makes no version.',
  })
  @Can('TABLE_EDIT')
  @ApiOkResponse({ type: DeleteRowsResponse })
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
