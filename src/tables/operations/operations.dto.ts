import { ApiProperty } from '@nestjs/swagger';
import { EnumField, IntegerField, NumberField, TextField, UuidField } from '../../platform/http/fields.js';
import { withoutNoise } from '../../platform/numbers.js';
import { SheetPath } from '../sheets/sheets.dto.js';
import type { StatusCounts } from '../grid/computing/count-states.js';
import { EXECUTION_STATUSES } from '../grid/computing/execution.entity.js';
import type { OperationView } from './operations.service.js';

export class OperationPath extends SheetPath {
  @UuidField({ query: true })
  operation_id: string;
}

export class StatusCountsBody {
  @IntegerField()
  STALE: number;

  @IntegerField()
  QUEUED: number;

  @IntegerField()
  DISPATCHED: number;

  @IntegerField()
  RUNNING: number;

  @IntegerField()
  COMPLETED: number;

  @IntegerField()
  FAILED: number;
}

export class OperationBody {
  @TextField()
  operation_id: string;

  @EnumField(['recalculate'])
  operation: 'recalculate';

  @EnumField(EXECUTION_STATUSES)
  status: string;

  @ApiProperty({ type: () => StatusCountsBody })
  status_counts: StatusCountsBody;

  @IntegerField()
  cell_count: number;

  @IntegerField()
  completed_count: number;

  @IntegerField()
  failed_count: number;

  @IntegerField({
    description: 'Completed cells that have the result of an earlier cell with the same inputs, which cost nothing.',
  })
  reused_count: number;

  @IntegerField()
  pending_count: number;

  @NumberField({
    description:
      'US dollars that its cells have cost so far, as far as prices are known. With `max_cost`, and after a cancellation, calls that were broken off are included as estimates.',
  })
  cost: number;

  @NumberField({ description: 'US dollars reserved for calls under way; 0 without `max_cost`.' })
  reserved_cost: number;

  @TextField()
  status_url: string;
}

export class OperationResponse {
  @ApiProperty({ example: true })
  success: true;

  @ApiProperty({ type: () => OperationBody })
  operation: OperationBody;
}

export class OperationsResponse {
  @ApiProperty({ example: true })
  success: true;

  @UuidField()
  sheet_id: string;

  @IntegerField()
  version: number;

  @IntegerField({ description: 'Computed cells of the sheet.' })
  total_cells: number;

  @ApiProperty({ type: () => StatusCountsBody })
  status_counts: StatusCountsBody;

  @IntegerField()
  pending_count: number;

  @ApiProperty({ type: () => [OperationBody] })
  active_operations: OperationBody[];
}

export class StatusCountsResponse {
  @ApiProperty({ example: true })
  success: true;

  @IntegerField()
  total_cells: number;

  @ApiProperty({ type: () => StatusCountsBody })
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
