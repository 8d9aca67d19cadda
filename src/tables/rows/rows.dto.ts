import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { CellBody } from '../cells/cells.dto.js';
import { CELL_METRICS, type CellMetric } from '../grid/column-type/execution-metadata.column-type.js';
import { type ColumnAggregate, combine, type MetricAggregate } from '../grid/cells/metadata-aggregates.queries.js';
import { ColumnBody } from '../columns/columns.dto.js';
import { VersionField } from '../grid/versions/find-version.js';

export class ListRowsQuery extends CursorQuery {
  @LimitField(100)
  limit?: number;

  @OrderField('asc')
  order?: Order;

  @VersionField({ description: 'The number or the id of a version: rows, columns and cells as they were then.' })
  version?: string;

  @BooleanField({
    optional: true,
    query: true,
    description: 'Whether to list the columns; by default on the first page only.',
  })
  include_columns?: boolean;

  @BooleanField({ optional: true, query: true, default: true })
  include_row_count?: boolean;

  @BooleanField({ optional: true, query: true, default: false })
  include_system_columns?: boolean;

  @BooleanField({
    optional: true,
    query: true,
    default: false,
    description: 'Whether to sum up prices and latencies over all rows of the sheet.',
  })
  include_execution_metadata_aggregates?: boolean;
}

export class MetricAggregateBody {
  @EnumField(CELL_METRICS)
  metric_key: CellMetric;

  @TextField({ nullable: true, example: 'Cost' })
  metric_label: string | null;

  @IntegerField({ description: 'Rows that have a value.' })
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
    description: 'By the id of the metadata column.',
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

export class RowsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [RowBody] })
  data: RowBody[];

  @IntegerField({ optional: true })
  row_count?: number;

  @ApiProperty({ type: () => [ColumnBody], description: 'Empty unless asked for.' })
  columns: ColumnBody[];

  @IntegerField({ description: 'The version of the sheet that was read.' })
  version: number;

  @ApiProperty({ type: () => MetadataAggregatesBody, required: false, description: 'Only when asked for.' })
  execution_metadata_aggregates?: MetadataAggregatesBody;
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

  @IntegerField({ description: 'Rows of the sheet afterwards.' })
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

  @IntegerField({ description: 'Rows of the sheet afterwards.' })
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
