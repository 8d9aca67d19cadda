import { EXAMPLE_IDS } from '../shared/example-ids.js';
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
import { COLUMN_ID, COLUMN_TITLE, COLUMN_TYPE, OPERATION_ID } from '../shared/field-descriptions.js';
import { BodyFlagField, MessageField, SuccessField } from '../../platform/http/common-fields.js';
import { withoutNoise } from '../../platform/numbers.js';
import { CellBody } from '../cells/cells.dto.js';
import type { CostSource } from '../../grid/computing/run-plan.js';
import type { RunPlan } from './run-plans.service.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import { ReuseField } from './reuse-field.js';

const MAX_SELECTED = 100_000;

@Closed()
export class CreateOperationRequest {
  @EnumField(['recalculate'], {
    description: 'The operation on the cells. Only `recalculate` exists.',
    example: 'recalculate',
  })
  operation: 'recalculate';

  @ListField('uuid', {
    optional: true,
    nullable: true,
    maxItems: 1000,
    description: 'Ids of the columns to recalculate. Default: every computed column.',
  })
  column_ids?: string[] | null;

  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    maxItems: MAX_SELECTED,
    description: 'Indexes of the rows to recalculate. Default: every row.',
  })
  row_ids?: number[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 100,
    description:
      'States of the cells to recalculate: STALE, QUEUED, DISPATCHED, RUNNING, COMPLETED, FAILED, in any letter case. Default: STALE. An empty list means every state.',
    example: ['STALE'],
  })
  statuses?: string[] | null;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 200,
    description: 'The `confirmation_token` of the answer that asked for a confirmation.',
  })
  confirmation_token?: string | null;

  @ReuseField()
  reuse?: boolean | null;

  @BodyFlagField(
    'Whether to compute every cell again although its inputs are the same, without sharing results between equal cells.',
  )
  force?: boolean | null;

  @NumberField({
    optional: true,
    nullable: true,
    min: 0,
    description:
      'Limit of the cost in US dollars. The cost of a call is reserved before it begins, and the operation ends before a call that would exceed the limit. A call is reserved at the cost of the most expensive cell of its column so far; the first one at the estimate of a dry run, and it runs alone. Calls without a known price count as free. Cells that were not computed can be recalculated later.',
    example: 2.5,
  })
  max_cost?: number | null;

  @BodyFlagField('Whether to estimate cells, tokens, cost and time of every column without starting anything.')
  dry_run?: boolean | null;
}

const FORCE = {
  optional: true,
  nullable: true,
  default: true,
  description:
    'Whether to call models and other services again although the inputs are the same. `false` reuses their results.',
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
    description: 'Ids of the cells to recalculate. Required unless `column_ids` and `row_indices` name them.',
    example: [EXAMPLE_IDS.cell_id],
  })
  cell_ids?: string[] | null;

  @ListField('string', {
    optional: true,
    nullable: true,
    maxItems: 1000,
    description: 'Ids of columns, given together with `row_indices` and ignored without them.',
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
  @SuccessField()
  success: true;

  @EnumField(['recalculate'], { description: 'Always `recalculate`.' })
  operation: 'recalculate';

  @UuidField({ description: OPERATION_ID })
  operation_id: string;

  @UuidField({ description: 'The same as `operation_id`.' })
  execution_id: string;

  @ListField('uuid', { description: 'A list with `operation_id` alone.' })
  execution_ids: string[];

  @IntegerField({ description: 'How many cells were queued, including the cells that they read.' })
  cell_count: number;

  @IntegerField({ description: 'The version of the sheet when they were queued.' })
  version: number;

  @TextField({ description: 'Path of the operation on this server. GET returns its progress, DELETE cancels it.' })
  status_url: string;

  @IntegerField({ description: 'Always 0: every cell of a sheet is stored.' })
  virtual_cell_count: number;

  @ApiProperty({ type: () => [CellBody], description: 'Always empty: read the rows.' })
  cells: never[];
}

export class NothingQueuedResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Always 0: no selected cell can be computed, or all of them are queued already.' })
  cell_count: number;

  @IntegerField({ description: 'Always 0: every cell of a sheet is stored.' })
  virtual_cell_count: number;

  @ApiProperty({ type: () => [CellBody], description: 'Always empty.' })
  cells: never[];
}

export class ConfirmationResponse {
  @ApiProperty({ description: 'False because nothing was queued: the operation needs a confirmation.', example: false })
  success: false;

  @ApiProperty({ description: 'Always true.', example: true })
  requires_confirmation: true;

  @TextField({
    description: 'Send the same request with this token to start the operation. It expires after 15 minutes.',
  })
  confirmation_token: string;

  @IntegerField({ description: 'Number of cells that the confirmed operation recalculates.' })
  affected_cell_count: number;

  @MessageField()
  message: string;
}

const REUSABLE =
  'Minimum number of cells with a known result, which cost nothing with `reuse`. Cells whose inputs may still change count as unknown, and so do cells beyond the first 10,000 rows, or 16 MB of inputs, of a column.';

class PlannedColumnBody {
  @UuidField({ description: COLUMN_ID })
  column_id: string;

  @TextField({ description: COLUMN_TITLE })
  title: string;

  @TextField({ description: COLUMN_TYPE })
  type: string;

  @IntegerField({ description: 'Number of cells of the column that would be computed.' })
  cell_count: number;

  @EnumField(['history', 'template', 'unknown'], {
    nullable: true,
    description:
      'The basis of the estimate: earlier cells of the column (`history`), or the requests that would be sent now (`template`). Null for a column that the server computes alone, which costs nothing.',
  })
  estimated_from: CostSource | null;

  @IntegerField({ nullable: true, description: 'Estimated input tokens of all its cells; null when nothing is known.' })
  input_tokens: number | null;

  @IntegerField({
    nullable: true,
    description: 'Estimated output tokens of all its cells; null when nothing is known.',
  })
  output_tokens: number | null;

  @NumberField({ nullable: true, description: 'Estimated cost in US dollars; null when no price is known.' })
  cost: number | null;

  @IntegerField({
    nullable: true,
    description:
      'Estimated duration in seconds, with as many parallel calls as the workspace may have; null when no cell was computed yet.',
  })
  seconds: number | null;

  @IntegerField({ description: REUSABLE })
  reusable_cell_count: number;

  @NumberField({
    nullable: true,
    description: 'Upper limit of the cost in US dollars with `reuse`; null when no price is known.',
  })
  cost_with_reuse: number | null;
}

export class OperationPlanResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ description: 'Always true: nothing was queued.', example: true })
  dry_run: true;

  @IntegerField({ description: 'Number of cells that would be computed.' })
  cell_count: number;

  @IntegerField({
    nullable: true,
    description: 'Estimated input tokens, over the columns where they are known; null when they are known for none.',
  })
  input_tokens: number | null;

  @IntegerField({
    nullable: true,
    description: 'Estimated output tokens, over the columns where they are known; null when they are known for none.',
  })
  output_tokens: number | null;

  @NumberField({
    nullable: true,
    description: 'Estimated cost in US dollars, over the columns where it is known; null when it is known for none.',
  })
  cost: number | null;

  @IntegerField({
    nullable: true,
    description:
      'Estimated duration in seconds: the sum over the columns where it is known; null when it is known for none.',
  })
  seconds: number | null;

  @IntegerField({ description: REUSABLE })
  reusable_cell_count: number;

  @NumberField({
    nullable: true,
    description:
      'Upper limit of the cost in US dollars with `reuse`, over the columns whose cost is known; null when none is.',
  })
  cost_with_reuse: number | null;

  @ApiProperty({ type: () => [PlannedColumnBody], description: 'The estimate for each column with selected cells.' })
  columns: PlannedColumnBody[];
}

export function toPlanResponse({ cellCount, columns }: RunPlan): OperationPlanResponse {
  const sum = (values: (number | null)[]) => {
    const known = values.filter((value) => value !== null);
    return known.length === 0 ? null : withoutNoise(known.reduce((total, value) => total + value, 0));
  };
  return {
    success: true,
    dry_run: true,
    cell_count: cellCount,
    input_tokens: sum(columns.map(({ inputTokens }) => inputTokens)),
    output_tokens: sum(columns.map(({ outputTokens }) => outputTokens)),
    cost: sum(columns.map(({ price }) => price)),
    seconds: sum(columns.map(({ seconds }) => seconds)),
    reusable_cell_count: columns.reduce((total, { reusable }) => total + reusable, 0),
    cost_with_reuse: sum(columns.map(({ priceWithReuse }) => priceWithReuse)),
    columns: columns.map(
      ({ column, cellCount: cells, source, price, seconds, reusable, priceWithReuse, ...tokens }) => ({
        column_id: column.id,
        title: column.title,
        type: column.type,
        cell_count: cells,
        estimated_from: source,
        input_tokens: tokens.inputTokens,
        output_tokens: tokens.outputTokens,
        cost: price,
        seconds,
        reusable_cell_count: reusable,
        cost_with_reuse: priceWithReuse,
      }),
    ),
  };
}

export class RecalculateCellResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: 'Id of the operation. Read its progress at `GET …/operations/{operation_id}`.' })
  execution_id: string;

  @IntegerField({ description: 'Number of cells that were queued, including stale cells that they read.' })
  cell_count: number;
}

export class RecalculateCellsResponse extends RecalculateCellResponse {
  @IntegerField({ description: 'Number of requested cells.' })
  selected_cell_count: number;
}

export class NothingToRecalculateResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @IntegerField({ description: 'Always 0: the cells are not computed, or are queued already.' })
  cell_count: number;
}

export class CancelOperationResponse {
  @SuccessField()
  success: true;

  @MessageField()
  message: string;

  @TextField({ description: 'The id from the path.' })
  operation_id: string;

  @ListField('uuid', { description: 'A list with the id of the operation; empty when there was nothing to cancel.' })
  execution_ids: string[];

  @IntegerField({ description: 'Number of cells taken back: the sum of the two counts below.' })
  cancelled_cell_count: number;

  @IntegerField({ description: 'Number of cells that had not begun and are in their former state again.' })
  not_started_reset_count: number;

  @IntegerField({ description: 'Number of cells that were being computed and are stale again.' })
  running_invalidated_count: number;

  @NumberField({
    description:
      'Estimated cost of the calls that were ended, in US dollars. Providers may charge for them, so it is part of `cost`.',
  })
  interrupted_cost: number;

  @NumberField({ nullable: true, description: 'Cost of the operation in US dollars; null when it was not active.' })
  cost: number | null;
}
