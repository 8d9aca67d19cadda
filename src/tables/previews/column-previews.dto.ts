import { ApiProperty } from '@nestjs/swagger';
import { BodyFlagField, BodyNameField, SuccessField } from '../../platform/http/common-fields.js';
import {
  BooleanField,
  EnumField,
  IntegerField,
  JsonField,
  ListField,
  NumberField,
  TextField,
} from '../../platform/http/fields.js';
import type { JsonObject, JsonValue } from '../../platform/json.js';
import { Closed } from '../../platform/http/validation.pipe.js';
import {
  ColumnConfigField,
  ColumnTypeField,
  DependenciesField,
  type DependencyRequest,
  toDependency,
} from '../columns/columns.dto.js';
import { ROW_INDEX } from '../shared/field-descriptions.js';
import type { CellMetrics } from '../../grid/column-type/cell-metrics.js';
import type { NewCell } from '../../grid/cells/cells.queries.js';
import { asText } from '../../grid/column-type/values.js';
import { sizeOf } from '../../grid/computing/cell-result.js';
import { OperationPlanResponse, toPlanResponse } from '../operations/recalculations.dto.js';
import { type ColumnPreview, MOST_ROWS, type PreviewedRow, type PreviewInput } from './column-previews.service.js';

/** Maximum length of a value in an answer. A longer one is cut off. */
const LONGEST_VALUE = 100_000;
const LONGEST_TEXT = 2_000;

const STATUSES = ['completed', 'error', 'stale'] as const;

@Closed()
export class PreviewColumnRequest {
  @BodyNameField({
    default: 'Preview',
    description: 'Title of the column, for the traces of its cells.',
    example: 'Mentions refund',
  })
  title?: string | null;

  @ColumnTypeField({ description: 'The type of the column, as when it is added.', example: 'CONTAINS' })
  type?: string | null;

  @ColumnConfigField()
  config?: JsonObject | null;

  @DependenciesField('Columns that this one depends on, as when it is added.')
  dependencies?: DependencyRequest[] | null;

  @ListField('integer', {
    optional: true,
    nullable: true,
    min: 0,
    minItems: 1,
    maxItems: MOST_ROWS,
    description: 'Indexes of the rows to compute. Default: the first three.',
    example: [0],
  })
  row_indices?: number[] | null;

  @BooleanField({
    optional: true,
    nullable: true,
    default: true,
    description: 'Whether rows are computed. Otherwise the answer has only the plan.',
  })
  compute?: boolean | null;

  @BodyFlagField('Whether models and services are asked even if results of the same inputs are known.')
  force?: boolean | null;
}

class PreviewedRowBody {
  @IntegerField({ description: ROW_INDEX })
  row_index: number;

  @EnumField(STATUSES, {
    description:
      '`error` when the cell failed, `stale` when a cell that it reads is stale: such a row is not computed.',
  })
  status: (typeof STATUSES)[number];

  @JsonField({
    nullable: true,
    description: 'The value of the cell; null when it has none, and for a value of more than 100,000 characters.',
  })
  value: JsonValue;

  @TextField({
    nullable: true,
    description: 'The first 2,000 characters of what the cell shows. Lists and objects are JSON.',
  })
  text: string | null;

  @TextField({ nullable: true, description: 'Why the cell failed.' })
  error_message: string | null;

  @NumberField({ nullable: true, description: 'Cost in US dollars; null when it is not known.' })
  cost: number | null;

  @IntegerField({ nullable: true, description: 'Duration in milliseconds; null when nothing was called.' })
  latency_ms: number | null;

  @BooleanField({ description: 'Whether the result of an earlier cell with the same inputs was used.' })
  reused: boolean;

  @ListField('integer', { description: 'Request logs of the calls of models.' })
  request_ids: number[];

  @ListField('string', { description: 'Traces of the cell.' })
  trace_ids: string[];
}

export class PreviewColumnResponse {
  @SuccessField()
  success: true;

  @ApiProperty({
    type: () => [PreviewedRowBody],
    description: 'The computed rows, ascending; empty without `compute`.',
  })
  rows: PreviewedRowBody[];

  @ApiProperty({
    type: () => OperationPlanResponse,
    description: 'An estimate for all rows of the sheet, as a dry run of a recalculation gives it.',
  })
  plan: OperationPlanResponse;
}

export function toPreviewInput(body: PreviewColumnRequest): PreviewInput {
  return {
    title: body.title ?? 'Preview',
    type: body.type ?? null,
    config: body.config ?? {},
    dependencies: (body.dependencies ?? []).map(toDependency),
    rows: body.row_indices ?? null,
    compute: body.compute ?? true,
    force: body.force ?? false,
  };
}

export function toPreviewResponse({ rows, plan }: ColumnPreview): PreviewColumnResponse {
  return { success: true, rows: rows.map(toRowBody), plan: toPlanResponse(plan) };
}

function toRowBody({ row, cell }: PreviewedRow): PreviewedRowBody {
  if (cell === null) return { ...NOTHING, row_index: row, status: 'stale' };
  const { value, error = null, metrics = null } = cell;
  return {
    ...NOTHING,
    row_index: row,
    status: error === null ? 'completed' : 'error',
    value: sizeOf(value) > LONGEST_VALUE ? null : value,
    text: beginningOf(cell),
    error_message: error,
    ...(metrics && spendingOf(metrics)),
  };
}

const NOTHING = {
  value: null,
  text: null,
  error_message: null,
  cost: null,
  latency_ms: null,
  reused: false,
  request_ids: [],
  trace_ids: [],
};

function beginningOf({ value, displayValue }: NewCell): string | null {
  const text = displayValue ?? (value === null ? null : asText(value));
  // Code points, so that no character is cut in half.
  return text === null
    ? null
    : Array.from(text.slice(0, 2 * LONGEST_TEXT))
        .slice(0, LONGEST_TEXT)
        .join('');
}

function spendingOf({ price, latency_ms, reused_from, request_ids, trace_ids }: CellMetrics) {
  return { cost: price, latency_ms, reused: reused_from !== undefined, request_ids, trace_ids };
}
