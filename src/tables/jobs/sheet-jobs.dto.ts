import { ApiProperty } from '@nestjs/swagger';
import {
  DateTimeField,
  EnumField,
  IntegerField,
  NumberField,
  TextField,
  UuidField,
} from '../../platform/http/fields.js';
import {
  EXECUTION_STATUS,
  OPERATION_ID,
  IMPORT_ID,
  IMPORT_STATUS,
  ROWS_ADDED,
  FILE_NAME,
} from '../shared/field-descriptions.js';
import { withoutNoise } from '../../platform/numbers.js';
import { CursorQuery, LimitField, ListEnvelope, type Order, OrderField } from '../../platform/http/list.js';
import { EXECUTION_STATUSES, type ExecutionStatus } from '../../grid/computing/execution.entity.js';
import { IMPORT_SOURCES, IMPORT_STATUSES, type ImportSource, type ImportStatus } from '../../imports/index.js';
import { importUrl } from '../imports/imports.dto.js';
import { operationUrl } from '../operations/operations.dto.js';
import { SheetPlaceBody, toSheetPlace } from '../sheets/sheet-place.dto.js';
import type { ListedImport, ListedOperation } from './sheet-jobs.queries.js';
import type { JobPage } from './sheet-jobs.service.js';

export const DEFAULT_JOBS = 20;

class ListJobsQuery extends CursorQuery {
  @LimitField(DEFAULT_JOBS)
  limit?: number;

  @OrderField('desc')
  order?: Order;
}

/** The states, and `active`. */
const StatusField = (statuses: readonly string[]): PropertyDecorator =>
  EnumField(['active', ...statuses], {
    optional: true,
    query: true,
    description: 'Only jobs with this status; `active` means queued or running.',
    example: 'active',
  });

export class ListSheetOperationsQuery extends ListJobsQuery {
  @StatusField(EXECUTION_STATUSES)
  status?: string;
}

export class ListSheetImportsQuery extends ListJobsQuery {
  @StatusField(IMPORT_STATUSES)
  status?: string;
}

/** Fields of both kinds of jobs. */
class SheetJobBody extends SheetPlaceBody {
  @TextField({
    nullable: true,
    description: 'Name of the API key that started it, or its last four characters; null when the server did.',
  })
  started_by: string | null;

  @DateTimeField({ description: 'When it was requested, in UTC.' })
  created_at: string;

  @DateTimeField({ nullable: true, description: 'When it ended, in UTC; null while it goes on.' })
  finished_at: string | null;

  @TextField({
    description: 'Path of the operation or import on this server. GET returns its progress, DELETE cancels it.',
  })
  status_url: string;
}

export class SheetOperationBody extends SheetJobBody {
  @UuidField({ description: OPERATION_ID })
  operation_id: string;

  @EnumField(['recalculate', 'scorecard'], {
    description: '`scorecard` computes the cells of a scorecard; `recalculate` those of columns.',
  })
  operation: 'recalculate' | 'scorecard';

  @EnumField(EXECUTION_STATUSES, { description: EXECUTION_STATUS })
  status: ExecutionStatus;

  @IntegerField({ description: 'Number of cells to compute, including the cells that they read.' })
  cell_count: number;

  @IntegerField({ description: 'Number of cells computed so far.' })
  completed_count: number;

  @IntegerField({ description: 'Number of cells that have failed so far.' })
  failed_count: number;

  @IntegerField({ description: 'Completed cells that have the result of an earlier cell with the same inputs.' })
  reused_count: number;

  @NumberField({ description: 'Cost of its cells so far, in US dollars.' })
  cost: number;

  @TextField({ nullable: true, description: 'Why the operation ended early; null otherwise.' })
  message: string | null;
}

export class SheetImportBody extends SheetJobBody {
  @TextField({ description: IMPORT_ID })
  operation_id: string;

  @EnumField(IMPORT_SOURCES, { description: 'Where the rows come from. `sheet` is a copy of a dataset.' })
  source: ImportSource;

  @EnumField(IMPORT_STATUSES, { description: IMPORT_STATUS })
  status: ImportStatus;

  @IntegerField({ description: 'Progress in percent. It never decreases.', max: 100 })
  progress: number;

  @IntegerField({ nullable: true, description: ROWS_ADDED })
  rows_added: number | null;

  @TextField({ nullable: true, description: FILE_NAME })
  file_name: string | null;

  @TextField({
    nullable: true,
    description: 'Why the import failed; null otherwise. After a failure the sheet is as it was before.',
  })
  error_message: string | null;
}

export class SheetOperationsResponse extends ListEnvelope {
  @ApiProperty({
    type: () => [SheetOperationBody],
    description: 'The operations of this page, by default the newest first.',
  })
  data: SheetOperationBody[];
}

export class SheetImportsResponse extends ListEnvelope {
  @ApiProperty({ type: () => [SheetImportBody], description: 'The imports of this page, by default the newest first.' })
  data: SheetImportBody[];
}

export function toJobPage({ cursor, limit = DEFAULT_JOBS, order = 'desc', status }: ListSheetOperationsQuery): JobPage {
  return { cursor, limit, order, status };
}

export function toSheetOperation(job: ListedOperation): SheetOperationBody {
  return {
    operation_id: job.id,
    operation: job.owner === 'scorecard' ? 'scorecard' : 'recalculate',
    status: job.status,
    ...commonOf(job),
    cell_count: job.cellCount,
    completed_count: job.completedCount,
    failed_count: job.failedCount,
    reused_count: job.reusedCount,
    cost: withoutNoise(job.cost),
    message: job.message,
    finished_at: job.finishedAt?.toISOString() ?? null,
    status_url: operationUrl({ table_id: job.tableId, sheet_id: job.sheetId }, job.id),
  };
}

export function toSheetImport(job: ListedImport): SheetImportBody {
  const isCompleted = job.status === 'completed';
  return {
    operation_id: job.id,
    source: job.source,
    status: job.status,
    ...commonOf(job),
    progress: job.progress,
    rows_added: isCompleted ? job.rowsAdded : null,
    file_name: job.fileName,
    error_message: job.errorMessage,
    finished_at: isCompleted || job.status === 'failed' ? job.updatedAt.toISOString() : null,
    status_url: importUrl(job),
  };
}

function commonOf(job: ListedOperation | ListedImport) {
  return { ...toSheetPlace(job), started_by: job.startedBy, created_at: job.createdAt.toISOString() };
}
