import { ApiProperty } from '@nestjs/swagger';
import { EnumField, IntegerField, NumberField, TextField, UuidField } from '../../platform/http/fields.js';
import { SHEET_ID, EXECUTION_STATUS } from '../shared/field-descriptions.js';
import { SuccessField } from '../../platform/http/common-fields.js';
import { withoutNoise } from '../../platform/numbers.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { StatusCounts } from '../../grid/computing/count-states.js';
import { EXECUTION_STATUSES } from '../../grid/computing/execution.entity.js';
import type { OperationView } from './operations.service.js';

export class OperationPath extends SheetPath {
  @UuidField({ query: true, description: 'Id of the operation, from the answer that queued it.' })
  operation_id: string;
}

export class StatusCountsBody {
  @IntegerField({ description: 'Cells that were never computed, or whose inputs have changed since.' })
  STALE: number;

  @IntegerField({ description: 'Cells that wait for a worker.' })
  QUEUED: number;

  @IntegerField({ description: 'Cells that a worker has taken and not begun.' })
  DISPATCHED: number;

  @IntegerField({ description: 'Cells that are being computed.' })
  RUNNING: number;

  @IntegerField({ description: 'Cells that are up to date.' })
  COMPLETED: number;

  @IntegerField({ description: 'Cells whose last computation failed.' })
  FAILED: number;
}

export class OperationBody {
  @TextField({ description: 'Id of the operation, a UUID.' })
  operation_id: string;

  @EnumField(['recalculate'], { description: 'Always `recalculate`.' })
  operation: 'recalculate';

  @EnumField(EXECUTION_STATUSES, { description: EXECUTION_STATUS })
  status: string;

  @ApiProperty({
    type: () => StatusCountsBody,
    description: 'The cells of this operation by state. `STALE` is always 0.',
  })
  status_counts: StatusCountsBody;

  @IntegerField({ description: 'Number of cells in the operation, including those that the selected ones read.' })
  cell_count: number;

  @IntegerField({ description: 'Number of cells computed so far.' })
  completed_count: number;

  @IntegerField({ description: 'Number of cells that have failed so far.' })
  failed_count: number;

  @IntegerField({
    description: 'Completed cells that have the result of an earlier cell with the same inputs, which cost nothing.',
  })
  reused_count: number;

  @IntegerField({
    description: 'Number of cells that are queued, dispatched or running; 0 when the operation has ended.',
  })
  pending_count: number;

  @NumberField({
    description:
      'Cost so far in US dollars, where prices are known. With `max_cost`, and after a cancellation, ended calls are included as estimates.',
  })
  cost: number;

  @NumberField({ description: 'Cost in US dollars that is reserved for calls under way; 0 without `max_cost`.' })
  reserved_cost: number;

  @TextField({ description: 'Path of the operation on this server. GET returns its progress, DELETE cancels it.' })
  status_url: string;
}

export class OperationResponse {
  @SuccessField()
  success: true;

  @ApiProperty({ type: () => OperationBody, description: 'The operation as it is now.' })
  operation: OperationBody;
}

export class OperationsResponse {
  @SuccessField()
  success: true;

  @UuidField({ description: SHEET_ID })
  sheet_id: string;

  @IntegerField({ description: 'The version of the sheet that was read.' })
  version: number;

  @IntegerField({ description: 'Number of computed cells in the sheet: the sum of the counts.' })
  total_cells: number;

  @ApiProperty({
    type: () => StatusCountsBody,
    description: 'The computed cells of the sheet by state, and answered cells of HUMAN columns.',
  })
  status_counts: StatusCountsBody;

  @IntegerField({ description: 'Number of cells in the sheet that are queued, dispatched or running.' })
  pending_count: number;

  @ApiProperty({
    type: () => [OperationBody],
    description: 'Operations that have not ended, the oldest first. Those of scorecards are not listed.',
  })
  active_operations: OperationBody[];
}

export class StatusCountsResponse {
  @SuccessField()
  success: true;

  @IntegerField({ description: 'Computed cells of the sheet: the sum of the counts.' })
  total_cells: number;

  @ApiProperty({
    type: () => StatusCountsBody,
    description: 'The computed cells of the sheet by state, and answered cells of HUMAN columns.',
  })
  status_counts: StatusCountsBody;
}

export function toOperationBody(path: SheetPath, { execution, counts, reserved }: OperationView): OperationBody {
  return {
    operation_id: execution.id,
    operation: 'recalculate',
    status: execution.status,
    status_counts: counts,
    cell_count: execution.cellCount,
    completed_count: execution.completedCount,
    failed_count: execution.failedCount,
    reused_count: execution.reusedCount,
    pending_count: pendingCount(counts),
    cost: withoutNoise(execution.cost + reserved.brokenOff),
    reserved_cost: withoutNoise(reserved.underWay),
    status_url: operationUrl(path, execution.id),
  };
}

export function operationUrl(path: SheetPath, operationId: string): string {
  return `/api/public/v2/tables/${path.table_id}/sheets/${path.sheet_id}/operations/${operationId}`;
}

export function pendingCount(counts: StatusCounts): number {
  return counts.QUEUED + counts.DISPATCHED + counts.RUNNING;
}
