import { ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { BooleanField, IntegerField, ListField } from '../../platform/http/fields.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import type { JsonObject } from '../../platform/json.js';
import { CellBody } from '../cells/cells.dto.js';
import { ColumnBody } from '../columns/columns.dto.js';

export class ListRowsQuery extends CursorQuery {
  @LimitField(100)
  limit?: number;

  @OrderField('asc')
  order?: Order;

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
}

export class AddRowsRequest {
  @IntegerField({ optional: true, nullable: true, min: 1, max: 100, default: 1, example: 2 })
  count?: number | null;

  @ListField('object', {
    optional: true,
    nullable: true,
    maxItems: 100,
    description: 'For each new row: column id → value. Rows without one are blank.',
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
