import { TABLE_EXAMPLES } from '../example-ids.js';
import { ApiProperty } from '@nestjs/swagger';
import {
  BooleanField,
  EnumField,
  IntegerField,
  ListField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import { CellBody } from '../cells/cells.dto.js';
import { Closed } from '../../platform/http/validation.pipe.js';

const MAX_SELECTED = 100_000;

@Closed()
export class CreateOperationRequest {
  @EnumField(['recalculate'], { example: 'recalculate' })
  operation: 'recalculate';

  @ListField('uuid', {
    optional: true,
    nullable: true,
    maxItems: 1000,
    description: 'Left out: every computed column.',
  })
  column_ids?: string[] | null;

  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    maxItems: MAX_SELECTED,
    description: 'Row indexes. Left out: every row.',
  })
  row_ids?: number[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 100,
    description: 'STALE, QUEUED, DISPATCHED, RUNNING, COMPLETED, FAILED. Left out: STALE. Empty: every state.',
    example: ['STALE'],
  })
  statuses?: string[] | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 200,
    description: 'From the answer that asked for confirmation.',
  })
  confirmation_token?: string | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: false,
    description:
      'Computes results anew although their inputs are the same, also those that come from outside and cost money.',
  })
  force?: boolean | null;

  @NumberField({
    optional: true,
    nullable: true,
    min: 0,
    description:
      'US dollars. When the cells have cost as much, the operation ends; what is still stale can be recalculated later.',
    example: 2.5,
  })
  max_cost?: number | null;
}

const FORCE = {
  optional: true,
  nullable: true,
  default: true,
  description: 'false: a result from outside is reused where the inputs are the same.',
} as const;

export class RecalculateCellRequest {
  @BooleanField(FORCE)
  force?: boolean | null;
}

export class RecalculateCellsRequest {
  @ListField('uuid', {
    optional: true,
    nullable: true,
    maxItems: MAX_SELECTED,
    description: 'Needed unless the cells are named by `column_ids` and `row_indices`.',
    example: [TABLE_EXAMPLES.ids.cell_id],
  })
  cell_ids?: string[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 1000,
    description: 'Ids of columns. They name cells together with `row_indices`, and are ignored without them.',
  })
  column_ids?: string[] | null;

  @BooleanField(FORCE)
  force?: boolean | null;

  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    maxItems: MAX_SELECTED,
    description: 'Row indexes, together with `column_ids`. Rows that do not exist are ignored.',
    example: [0],
  })
  row_indices?: number[] | null;
}

export class QueuedOperationResponse {
  @ApiProperty({ example: true })
  success: true;

  @EnumField(['recalculate'])
  operation: 'recalculate';

  @UuidField()
  operation_id: string;

  @UuidField()
  execution_id: string;

  @ListField('uuid')
  execution_ids: string[];

  @IntegerField({ description: 'Cells that were queued, those they read included.' })
  cell_count: number;

  @IntegerField({ description: 'The version of the sheet when they were queued.' })
  version: number;

  @TextField()
  status_url: string;

  @IntegerField()
  virtual_cell_count: number;

  @ApiProperty({ type: () => [CellBody], description: 'Always empty: read the rows.' })
  cells: never[];
}

export class NothingQueuedResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField()
  cell_count: number;

  @IntegerField()
  virtual_cell_count: number;

  @ApiProperty({ type: () => [CellBody], description: 'Always empty.' })
  cells: never[];
}

export class ConfirmationResponse {
  @ApiProperty({ example: false })
  success: false;

  @ApiProperty({ example: true })
  requires_confirmation: true;

  @TextField({ description: 'Send the same request again with this token.' })
  confirmation_token: string;

  @IntegerField()
  affected_cell_count: number;

  @TextField()
  message: string;
}

export class RecalculateCellResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField({ description: 'Can be asked for as an operation.' })
  execution_id: string;

  @IntegerField()
  cell_count: number;
}

export class RecalculateCellsResponse extends RecalculateCellResponse {
  @IntegerField({ description: 'Cells that were asked for.' })
  selected_cell_count: number;
}

export class NothingToRecalculateResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @IntegerField()
  cell_count: number;
}

export class CancelOperationResponse {
  @ApiProperty({ example: true })
  success: true;

  @TextField()
  message: string;

  @TextField()
  operation_id: string;

  @ListField('uuid')
  execution_ids: string[];

  @IntegerField()
  cancelled_cell_count: number;

  @IntegerField({ description: 'Cells that have the state again that they had before.' })
  not_started_reset_count: number;

  @IntegerField({ description: 'Cells whose computation was thrown away; they are stale.' })
  running_invalidated_count: number;
}
