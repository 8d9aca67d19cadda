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
import { CursorQuery, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { CellBody } from '../cells/cells.dto.js';
import { CELL_STATUSES, type CellStatus } from '../grid/cells/cell-json.js';
import { CELL_METRICS, type CellMetric } from '../grid/column-type/execution-metadata.column-type.js';
import { type ColumnAggregate, combine, type MetricAggregate } from '../grid/cells/metadata-aggregates.queries.js';
import { ColumnBody } from '../columns/columns.dto.js';
import { VersionField } from '../grid/versions/find-version.js';
import type { RowsView } from './rows.service.js';
import { ROW_FILTER, ROW_FILTER_GROUP, RowFilterField } from './row-filter-field.js';

const ROWS_VIEWS = ['full', 'grid'] as const;
export const MAX_FULL_ROWS = 100;
const MAX_GRID_ROWS = 500;

const UUID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';
const UUIDS = new RegExp(`^${UUID}(,${UUID})*$`);

const SORT =
  'The title or id of a column, or `row_index`: numbers and texts that are numbers come first, then texts by their first 200 characters, and cells without a value last in either order.';
const AGGREGATES = 'Whether to sum up prices and latencies over all rows of the sheet.';
const COLUMNS = 'Whether to list the columns; by default on the first page only.';

const VIEW =
  '`full`: cells with everything about them. `grid`: only the first 200 characters of what each shows, and its state; read a cell by itself for the rest.';
const LIMIT = 'Items per page: at most 100, or 500 in the grid view. Rows that hold much are fewer.';
const FROM_ROW = 'How many rows come before the page, instead of a cursor: 57000 begins with row 57,001.';
const IDS = 'The only columns whose cells are read. By default all.';

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
    description: `Ids, separated by commas. ${IDS}`,
  })
  columns?: string;

  @OrderField('asc')
  order?: Order;

  @TextField({ optional: true, query: true, maxLength: 255, default: 'row_index', description: SORT })
  sort?: string;

  @RowFilterField()
  filter?: string;

  @VersionField({ description: 'The number or the id of a version: rows, columns and cells as they were then.' })
  version?: string;

  @BooleanField({ optional: true, query: true, description: COLUMNS })
  include_columns?: boolean;

  @BooleanField({ optional: true, query: true, default: true })
  include_row_count?: boolean;

  @BooleanField({ optional: true, query: true, default: false })
  include_system_columns?: boolean;

  @BooleanField({ optional: true, query: true, default: false, description: AGGREGATES })
  include_execution_metadata_aggregates?: boolean;
}

/** The same parameters in a body. */
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

  @EnumField(['asc', 'desc'], { optional: true, nullable: true, default: 'asc' })
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

  @BooleanField({ optional: true, nullable: true, default: true })
  include_row_count?: boolean | null;

  @BooleanField({ optional: true, nullable: true, default: false })
  include_system_columns?: boolean | null;

  @BooleanField({ optional: true, nullable: true, default: false, description: AGGREGATES })
  include_execution_metadata_aggregates?: boolean | null;
}

export class MetricAggregateBody {
  @EnumField(CELL_METRICS)
  metric_key: CellMetric;

  @TextField({ nullable: true, example: 'Cost' })
  metric_label: string | null;

  @IntegerField({ description: 'How many rows have a value.' })
  count: number;

  @NumberField({ description: 'US dollars or milliseconds.' })
  sum: number;

  @NumberField({ nullable: true })
  avg: number | null;

  @NumberField({ nullable: true })
  min: number | null;

  @NumberField({ nullable: true })
  max: number | null;

  @UuidField({ optional: true })
  column_id?: string;

  @UuidField({ optional: true })
  source_column_id?: string;
}

class SheetAggregatesBody {
  @ApiProperty({ type: 'object', additionalProperties: { $ref: getSchemaPath(MetricAggregateBody) } })
  by_metric: Record<string, MetricAggregateBody>;
}

export class MetadataAggregatesBody {
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(MetricAggregateBody) },
    description: 'The sums, by the id of the metadata column.',
  })
  by_column_id: Record<string, MetricAggregateBody>;

  @ApiProperty({ type: () => SheetAggregatesBody })
  sheet: SheetAggregatesBody;
}

export class AddRowsRequest {
  @IntegerField({ optional: true, nullable: true, min: 1, max: 100, default: 1, example: 2 })
  count?: number | null;

  @ListField('object', {
    optional: true,
    nullable: true,
    maxItems: 100,
    description:
      'For each new row: the id or the exact title of a column → value. Columns without a value, and rows without an entry, are blank.',
    example: [{ output: 'May I get a refund?' }, {}],
  })
  values?: JsonObject[] | null;
}

export class RowBody {
  @IntegerField()
  row_index: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(CellBody) },
    description: 'A cell for every column, by column id.',
  })
  cells: Record<string, CellBody>;
}

class RowsEnvelope extends ListEnvelope {
  @IntegerField({ optional: true })
  row_count?: number;

  @IntegerField({
    optional: true,
    description: 'How many rows the filter selects on all pages. Present only with a filter.',
  })
  matching_row_count?: number;

  @ApiProperty({ type: () => [ColumnBody], description: 'Empty unless the request asks for it.' })
  columns: ColumnBody[];

  @IntegerField({ description: 'The version of the sheet that was read.' })
  version: number;

  @ApiProperty({
    type: () => MetadataAggregatesBody,
    required: false,
    description: 'Present only when the request asks for it.',
  })
  execution_metadata_aggregates?: MetadataAggregatesBody;
}

export class RowsResponse extends RowsEnvelope {
  @ApiProperty({ type: () => [RowBody] })
  data: RowBody[];
}

export class GridRowBody {
  @IntegerField()
  row_index: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', nullable: true },
    description:
      'What the cells show, in the order of `column_ids`: at most 200 characters, `…` alone for a value beyond 1 MB, null for nothing. Lists and objects are JSON.',
  })
  texts: (string | null)[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...CELL_STATUSES] },
    description: 'The status of the cells that are not completed, by their place in `texts`.',
    example: { 3: 'stale' },
  })
  statuses: Record<string, CellStatus>;
}

export class GridRowsResponse extends RowsEnvelope {
  @ListField('uuid', { description: 'The columns of the texts.' })
  column_ids: string[];

  @ApiProperty({ type: () => [GridRowBody] })
  data: GridRowBody[];
}

export class AddRowsResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField()
  rows_created: number;

  @IntegerField()
  start_row_index: number;

  @ListField('integer')
  row_indices: number[];

  @ApiProperty({ type: () => [RowBody] })
  rows: RowBody[];

  @IntegerField()
  cell_count: number;

  @IntegerField({ description: 'How many rows the sheet has afterwards.' })
  row_count: number;

  @IntegerField({ description: 'The version of the sheet afterwards.' })
  version: number;
}

export class DeleteRowsRequest {
  @ListField('integer', {
    min: 0,
    maxItems: 100_000,
    description: 'Indexes of rows; those that do not exist are ignored.',
    example: [0],
  })
  row_indices: number[];
}

export class DeleteRowsResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField()
  deleted_count: number;

  @IntegerField({ description: 'How many rows the sheet has afterwards.' })
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
