import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonObjectField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { ROW_INDEX, SYSTEM_COLUMNS } from '../shared/field-descriptions.js';
import { BodyFlagField, SuccessField } from '../../platform/http/common-fields.js';
import { CursorQuery, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { CellBody } from '../cells/cells.dto.js';
import { CELL_STATUSES, type CellStatus } from '../../grid/cells/cell-json.js';
import { CELL_METRICS, type CellMetric } from '../../grid/column-type/execution-metadata.column-type.js';
import { type ColumnAggregate, combine, type MetricAggregate } from '../../grid/cells/metadata-aggregates.queries.js';
import { ColumnBody } from '../columns/columns.dto.js';
import { VersionField } from '../../grid/versions/find-version.js';
import type { RowsView } from './rows.service.js';
import { ROW_FILTER, ROW_FILTER_GROUP, RowFilterField } from './row-filter-field.js';

const ROWS_VIEWS = ['full', 'grid'] as const;
export const MAX_FULL_ROWS = 100;
const MAX_GRID_ROWS = 500;

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const UUIDS = new RegExp(`^${UUID}(,${UUID})*$`);

const SORT =
  'Title or id of the column to sort by, or `row_index`. Numbers and texts that are numbers come first, then texts by their first 200 characters; cells without a value come last in both directions.';
const AGGREGATES = 'Whether to sum up prices and latencies over all rows of the sheet.';
const COUNTS = 'Whether the answer has `row_count` and, with a filter, `matching_row_count`.';
const COLUMNS = 'Whether to list the columns. Default: on the first page only.';

const VIEW =
  '`full`: complete cells. `grid`: only the state and the first 200 characters of each cell; read a cell by itself for the rest.';
const LIMIT = 'Items per page: at most 100, or 500 in the grid view. Pages of large rows have fewer.';
const FROM_ROW = 'Number of rows to skip, instead of a cursor.';
const IDS = 'Ids of the columns to read. Default: all.';

export class ListRowsQuery extends CursorQuery {
  @EnumField(ROWS_VIEWS, { optional: true, query: true, default: 'full', description: VIEW })
  view?: RowsView;

  @IntegerField({ optional: true, query: true, min: 1, max: MAX_GRID_ROWS, default: 100, description: LIMIT })
  limit?: number;

  @IntegerField({ optional: true, query: true, min: 0, max: 2 ** 31 - 1, description: FROM_ROW })
  from_row?: number;

  @TextField({
    optional: true,
    query: true,
    maxLength: 40_000,
    pattern: UUIDS,
    description: `Separated by commas. ${IDS}`,
  })
  columns?: string;

  @OrderField('asc')
  order?: Order;

  @TextField({ optional: true, query: true, maxLength: 255, default: 'row_index', description: SORT })
  sort?: string;

  @RowFilterField()
  filter?: string;

  @VersionField({ description: 'Number or id of a version, to read rows, columns and cells as of that version.' })
  version?: string;

  @BooleanField({ optional: true, query: true, description: COLUMNS })
  include_columns?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: true,
    description: COUNTS,
  })
  include_row_count?: boolean;

  @BooleanField({ optional: true, query: true, default: false, description: SYSTEM_COLUMNS })
  include_system_columns?: boolean;

  @BooleanField({ optional: true, query: true, default: false, description: AGGREGATES })
  include_execution_metadata_aggregates?: boolean;
}

/** The same parameters, in a body. */
@Closed()
export class SearchRowsRequest {
  @JsonObjectField({
    optional: true,
    nullable: true,
    like: ROW_FILTER_GROUP,
    description: ROW_FILTER,
    example: { filters: [{ field: 'output', operator: 'contains', value: 'refund' }] },
  })
  filter?: JsonObject | null;

  @TextField({ optional: true, nullable: true, maxLength: 255, default: 'row_index', description: SORT })
  sort?: string | null;

  @EnumField(['asc', 'desc'], {
    optional: true,
    nullable: true,
    default: 'asc',
    description: 'Direction of `sort`.',
  })
  order?: Order | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 4000,
    description: 'The `next_cursor` or `prev_cursor` of another page.',
  })
  cursor?: string | null;

  @EnumField(ROWS_VIEWS, { optional: true, nullable: true, default: 'full', description: VIEW })
  view?: RowsView | null;

  @IntegerField({ optional: true, nullable: true, min: 1, max: MAX_GRID_ROWS, default: 100, description: LIMIT })
  limit?: number | null;

  @IntegerField({ optional: true, nullable: true, min: 0, max: 2 ** 31 - 1, description: FROM_ROW })
  from_row?: number | null;

  @ListField('uuid', { optional: true, nullable: true, maxItems: 1000, description: IDS })
  columns?: string[] | null;

  @BooleanField({ optional: true, nullable: true, description: COLUMNS })
  include_columns?: boolean | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: true,
    description: COUNTS,
  })
  include_row_count?: boolean | null;

  @BodyFlagField(SYSTEM_COLUMNS)
  include_system_columns?: boolean | null;

  @BodyFlagField(AGGREGATES)
  include_execution_metadata_aggregates?: boolean | null;
}

export class MetricAggregateBody {
  @EnumField(CELL_METRICS, { description: '`price` in US dollars, or `latency_ms` in milliseconds.' })
  metric_key: CellMetric;

  @TextField({
    nullable: true,
    description: 'Name of the metric in the console: "Cost" or "Latency".',
    example: 'Cost',
  })
  metric_label: string | null;

  @IntegerField({ description: 'Number of rows that have a value.' })
  count: number;

  @NumberField({ description: 'The total, in US dollars or milliseconds.' })
  sum: number;

  @NumberField({
    nullable: true,
    description: 'The mean over the rows that have a value, in the same unit; null when no row has one.',
  })
  avg: number | null;

  @NumberField({ nullable: true, description: 'The smallest value, in the same unit; null when no row has one.' })
  min: number | null;

  @NumberField({ nullable: true, description: 'The largest value, in the same unit; null when no row has one.' })
  max: number | null;

  @UuidField({
    optional: true,
    description: 'Id of the metadata column that holds the values; absent in sums over the whole sheet.',
  })
  column_id?: string;

  @UuidField({ optional: true, description: 'Id of the column that is measured; absent in sums over the whole sheet.' })
  source_column_id?: string;
}

class SheetAggregatesBody {
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(MetricAggregateBody) },
    description: 'The sums over all metadata columns, by `metric_key`.',
  })
  by_metric: Record<string, MetricAggregateBody>;
}

export class MetadataAggregatesBody {
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(MetricAggregateBody) },
    description: 'The sums, by the id of the metadata column.',
  })
  by_column_id: Record<string, MetricAggregateBody>;

  @ApiProperty({ type: () => SheetAggregatesBody, description: 'The sums over the whole sheet.' })
  sheet: SheetAggregatesBody;
}

export class AddRowsRequest {
  @IntegerField({
    optional: true,
    nullable: true,
    min: 1,
    max: 100,
    default: 1,
    description: 'How many rows to add. Entries of `values` beyond it are ignored.',
    example: 2,
  })
  count?: number | null;

  @ListField('object', {
    optional: true,
    nullable: true,
    maxItems: 100,
    description:
      'One object per new row, of values by the id or the exact title of a column. Columns without a value, and rows without an object, are blank.',
    example: [{ output: 'May I get a refund?' }, {}],
  })
  values?: JsonObject[] | null;
}

export class RowBody {
  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(CellBody) },
    description: 'The cells by column id, one for every column.',
  })
  cells: Record<string, CellBody>;
}

class RowsEnvelope extends ListEnvelope {
  @IntegerField({
    optional: true,
    description: 'Number of rows in the sheet, whatever the filter; absent with `include_row_count: false`.',
  })
  row_count?: number;

  @IntegerField({
    optional: true,
    description: 'Number of rows that match the filter on all pages; present only with a filter.',
  })
  matching_row_count?: number;

  @ApiProperty({
    type: () => [ColumnBody],
    description: 'The columns of the sheet; empty when the request does not ask for them.',
  })
  columns: ColumnBody[];

  @IntegerField({ description: 'The version of the sheet that was read.' })
  version: number;

  @ApiProperty({
    type: () => MetadataAggregatesBody,
    required: false,
    description: 'Sums of costs and latencies over all rows; present only when the request asks for them.',
  })
  execution_metadata_aggregates?: MetadataAggregatesBody;
}

export class RowsResponse extends RowsEnvelope {
  @ApiProperty({ type: () => [RowBody], description: 'The rows of this page with all their cells.' })
  data: RowBody[];
}

export class GridJudgementBody {
  @BooleanField({ description: 'Whether every question of the cell was answered yes.' })
  value: boolean;

  @IntegerField({ description: 'Number of questions that were answered yes.' })
  yes_count: number;

  @IntegerField({ description: 'Number of questions of the cell.' })
  question_count: number;

  @TextField({
    nullable: true,
    description:
      'The first 200 characters of the reason: of the first question that was answered no, or else of the first one.',
    example: 'No policy is mentioned.',
  })
  reasoning: string | null;
}

export class GridRowBody {
  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', nullable: true },
    description:
      'The texts that the cells show, in the order of `column_ids`: at most 200 characters, `…` alone for a value beyond 1 MB, null for nothing. Lists and objects are JSON.',
  })
  texts: (string | null)[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...CELL_STATUSES] },
    description: 'The statuses of the cells that are not completed, by their position in `texts`.',
    example: { 3: 'stale' },
  })
  statuses: Record<string, CellStatus>;

  @JsonObjectField({
    optional: true,
    values: { $ref: getSchemaPath(GridJudgementBody) },
    description: 'The verdicts of judged cells, by their position in `texts`; absent when the row has none.',
  })
  judgements?: Record<string, GridJudgementBody>;
}

export class GridRowsResponse extends RowsEnvelope {
  @ListField('uuid', { description: 'Ids of the columns, in the order of `texts`.' })
  column_ids: string[];

  @ApiProperty({
    type: () => [GridRowBody],
    description: 'The rows of this page, with the beginnings of what their cells show.',
  })
  data: GridRowBody[];
}

export class AddRowsResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Number of rows that were added.' })
  rows_created: number;

  @IntegerField({ description: 'Index of the first new row, which follows the last row of the sheet.' })
  start_row_index: number;

  @ListField('integer', { description: 'Indexes of the new rows, ascending.' })
  row_indices: number[];

  @ApiProperty({ type: () => [RowBody], description: 'The new rows with all their cells. Computed cells are stale.' })
  rows: RowBody[];

  @IntegerField({ description: 'Number of cells in the new rows.' })
  cell_count: number;

  @IntegerField({ description: 'Number of rows in the sheet afterwards.' })
  row_count: number;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class DeleteRowsRequest {
  @ListField('integer', {
    min: 0,
    maxItems: 100_000,
    description: 'Indexes of the rows to delete. Those that do not exist are ignored.',
    example: [0],
  })
  row_indices: number[];
}

export class DeleteRowsResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Number of rows that existed and were deleted.' })
  deleted_count: number;

  @IntegerField({ description: 'Number of rows in the sheet afterwards.' })
  row_count: number;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

const LABELS: Record<CellMetric, string> = { price: 'Cost', latency_ms: 'Latency' };

export function toAggregatesBody(columns: ColumnAggregate[]): MetadataAggregatesBody {
  const byColumn = columns.map((aggregate) => {
    const { columnId: column_id, sourceColumnId: source_column_id } = aggregate;
    return [column_id, { ...toAggregateBody(aggregate), column_id, source_column_id }] as const;
  });
  const byMetric = CELL_METRICS.map((metric) => [metric, toAggregateBody(combine(metric, columns))] as const);
  return { by_column_id: Object.fromEntries(byColumn), sheet: { by_metric: Object.fromEntries(byMetric) } };
}

function toAggregateBody({ metric, count, sum, avg, min, max }: MetricAggregate): MetricAggregateBody {
  return { metric_key: metric, metric_label: LABELS[metric], count, sum, avg, min, max };
}
